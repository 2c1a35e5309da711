import { parentPort, workerData } from "node:worker_threads";
import { InvalidDataError } from "../../kit/text/errors.js";
import { allRevisions, type Data } from "../data.js";
import { parseWithKeys } from "./data-text.js";
import type { DataInPieces, ParseResult } from "./parse-in-thread.js";

/** The minimum characters of a piece, which are parsed in about a millisecond. */
const PIECE = 128 * 1_024;

async function parse(): Promise<ParseResult> {
  try {
    return splitData(await parseWithKeys(workerData.bytes, workerData.keys));
  } catch (error) {
    if (error instanceof InvalidDataError) return error.message;
    throw error;
  }
}

function splitData(data: Data): DataInPieces {
  const { variables, values, ...head } = data;
  return {
    head,
    variables: [...piecesOf(variables)],
    values: [...piecesOf(values)],
    revisions: allRevisions(data),
  };
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
