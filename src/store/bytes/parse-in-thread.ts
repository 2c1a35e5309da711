import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { packageFile } from "../../kit/files/package-file.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { type Data, keepRevisions } from "../data.js";
import { parseWithKeys } from "./data-text.js";

/** Data with lists as JSON pieces, which are moved to a thread, not copied. */
interface DataInPieces {
  readonly head: Omit<Data, "variables" | "values">;
  readonly variables: readonly Uint8Array[];
  readonly values: readonly Uint8Array[];
  readonly revisions: Map<number, string>;
}

/** The data, or its problem. */
export type ParseResult = DataInPieces | string;

/**
 * The smallest file to parse in another thread, in bytes. A thread takes time
 * to start.
 */
const MIN_SIZE = 256 * 1_024;

/**
 * Parses the bytes of a data file. A large one is parsed, checked and hashed in
 * another thread, and comes back in pieces, so that other work does not wait.
 *
 * @param bytes can't be used afterwards
 * @param signal ends the thread
 * @throws InvalidDataError as `parseData`; any error after the signal
 */
export async function parseInThread(
  bytes: Buffer,
  signal: AbortSignal,
  keys?: string,
): Promise<Data> {
  if (bytes.length < MIN_SIZE) return parseWithKeys(bytes, keys);
  const result = await runWorker(bytes, signal, keys);
  if (typeof result === "string") throw new InvalidDataError(result);
  const [variables, values] = [await join(result.variables), await join(result.values)];
  const data = { ...result.head, variables, values } as Data;
  keepRevisions(data, result.revisions);
  return data;
}

/** Parses a list with pauses for other work. */
async function join(pieces: readonly Uint8Array[]): Promise<unknown[]> {
  const list: unknown[] = [];
  const decoder = new TextDecoder();
  for (const piece of pieces) {
    for (const record of JSON.parse(decoder.decode(piece))) list.push(record);
    await setImmediate();
  }
  return list;
}

function runWorker(bytes: Buffer, signal: AbortSignal, keys?: string): Promise<ParseResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(packageFile("dist/cli/parse-worker.cjs"), {
      workerData: { bytes, keys },
      transferList: [bytes.buffer as ArrayBuffer],
    });
    const stop = () => worker.terminate();
    signal.addEventListener("abort", stop);
    worker.once("message", resolve);
    worker.once("error", (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(isTooLarge ? new InvalidDataError("is too large for this process") : error);
    });
    worker.once("exit", (code) => {
      signal.removeEventListener("abort", stop);
      reject(new Error(`the thread that parses data ended with ${code}`));
    });
  });
}
