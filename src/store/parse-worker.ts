import { parentPort, workerData } from "node:worker_threads";
import { InvalidDataError } from "../domain/errors.js";
import { checkHeap, scanJson } from "./data-limits.js";
import { packAll } from "./packed-data.js";
import { buffersOf, type ParseResult } from "./parse-apart.js";
import { parseData } from "./parse-data.js";

/** The other side of `parseApart`. */
async function parse(): Promise<ParseResult> {
  try {
    const bytes: Uint8Array = workerData.bytes;
    const scan = scanJson(bytes);
    checkHeap(scan);
    // Released when it has been decoded.
    workerData.bytes = undefined;
    return { data: packAll(await parseData(bytes)) };
  } catch (error) {
    if (error instanceof InvalidDataError) return { problem: error.message };
    throw error;
  }
}

// An error is thrown out of the thread.
void parse().then((result) => parentPort?.postMessage(result, result.data ? buffersOf(result.data) : []));
