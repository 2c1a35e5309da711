import { Worker } from "node:worker_threads";
import { InvalidDataError } from "../domain/errors.js";
import { fromTransferable, type PackedData, packOnDemand, type Transferable } from "./packed-data.js";
import { parseData } from "./parse-data.js";

/** What the worker sends: the data, or what is wrong with it. */
export type ParseResult = { data: Transferable; problem?: never } | { data?: never; problem: string };

/**
 * Bytes of a file that is parsed in a thread of its own. A smaller one is parsed in less time than the thread takes to
 * start, 35 ms, and no request has to wait for longer than 10 ms.
 */
const MIN_SIZE = 256 * 1_024;

// From both src/store and dist/cli: a worker needs the compiled file.
const WORKER = new URL("../../dist/cli/parse-worker.cjs", import.meta.url);

/**
 * Parses the bytes of a data file without making other work wait.
 *
 * @param bytes can't be used afterwards
 * @param signal ends the thread
 * @throws InvalidDataError as {@link parseData} does; any error after the signal
 */
export async function parseApart(bytes: Buffer, signal: AbortSignal): Promise<PackedData> {
  if (bytes.length < MIN_SIZE) return packOnDemand(await parseData(bytes));
  const { data, problem } = await runWorker(bytes, signal);
  if (problem !== undefined) throw new InvalidDataError(problem);
  return fromTransferable(data);
}

function runWorker(bytes: Buffer, signal: AbortSignal): Promise<ParseResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(WORKER, { workerData: { bytes }, transferList: [bytes.buffer as ArrayBuffer] });
    const stop = () => worker.terminate();
    signal.addEventListener("abort", stop);
    worker.once("message", resolve);
    worker.once("error", (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(isTooLarge ? new InvalidDataError("is too large for the memory of this process") : error);
    });
    worker.once("exit", (code) => {
      signal.removeEventListener("abort", stop);
      reject(new Error(`the thread that parses data ended with ${code}`));
    });
  });
}

/** The memory to transfer with the data. */
export function buffersOf({ variables, values }: Transferable): ArrayBuffer[] {
  return [...variables.values(), ...values.values()].flatMap((list) =>
    Object.values(list).flatMap((part) => (ArrayBuffer.isView(part) ? [part.buffer as ArrayBuffer] : [])),
  );
}
