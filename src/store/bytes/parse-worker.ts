import { parentPort, workerData } from "node:worker_threads";
import { InvalidDataError } from "../../kit/text/errors.js";
import { allRevisions } from "../data.js";
import { parseWithKeys } from "./data-text.js";
import type { ParseResult } from "./parse-in-thread.js";

/** The minimum characters of a piece, which are parsed in about a millisecond. */
const PIECE = 128 * 1_024;

async function parse(): Promise<ParseResult> {
  try {
    const data = await parseWithKeys(workerData.bytes, workerData.keys);
    const { variables, values, ...head } = data;
    const pieces = { variables: [...piecesOf(variables)], values: [...piecesOf(values)] };
    return { head, ...pieces, revisions: allRevisions(data) };
  } catch (error) {
    if (error instanceof InvalidDataError) return error.message;
    throw error;
  }
}

function* piecesOf(records: readonly object[]): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = "";
  for (const record of records) {
    piece += `${piece === "" ? "[" : ","}${JSON.stringify(record)}`;
    if (piece.length < PIECE) continue;
    yield encoder.encode(`${piece}]`);
    piece = "";
  }
  if (piece !== "") yield encoder.encode(`${piece}]`);
}

// Errors reach the other thread.
void parse().then((result) => {
  const pieces = typeof result === "string" ? [] : [...result.variables, ...result.values];
  // Not copied, which would block the other thread.
  parentPort?.postMessage(
    result,
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
