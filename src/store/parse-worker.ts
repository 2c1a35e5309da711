import { parentPort, workerData } from "node:worker_threads";
import { InvalidDataError } from "../domain/errors.js";
import type { Data } from "./data.js";
import type { DataInPieces, ParseResult } from "./parse-apart.js";
import { parseData } from "./parse-data.js";
import { revisionOf } from "./revision.js";

/** Characters of a piece, at least: parsed in about a millisecond. */
const PIECE = 128 * 1_024;

/** The other side of `parseApart`. */
async function parse(): Promise<ParseResult> {
  try {
    return { data: takeApart(await parseData(workerData.bytes)) };
  } catch (error) {
    if (error instanceof InvalidDataError) return { problem: error.message };
    throw error;
  }
}

function takeApart(data: Data): DataInPieces {
  const { variables, values, ...head } = data;
  const revisions = new Map(data.environments.map((each) => [each.id, revisionOf(data, each)]));
  return { head, variables: [...piecesOf(variables)], values: [...piecesOf(values)], revisions };
}

function* piecesOf(records: readonly object[]): Generator<string> {
  let piece = "";
  for (const record of records) {
    piece += `${piece === "" ? "[" : ","}${JSON.stringify(record)}`;
    if (piece.length < PIECE) continue;
    yield `${piece}]`;
    piece = "";
  }
  if (piece !== "") yield `${piece}]`;
}

// An error is thrown out of the thread.
void parse().then((result) => parentPort?.postMessage(result));
