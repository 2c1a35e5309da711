import { constants } from "node:buffer";
import type { Complete } from "../../model/variable.js";
import { byId, type Data, type ListName } from "../data.js";
import { parseData } from "../schema/parse-data.js";
import type { FileSealing, SealedForm } from "./file-sealing.js";

/** Records per piece, which takes about a millisecond. */
const PIECE_RECORDS = 2_000;

/**
 * The largest data file, in bytes: JSON is parsed from one string, in V8 at
 * most 512 MB.
 */
export const MAX_DATA_SIZE = constants.MAX_STRING_LENGTH;

/**
 * Makes the sealing of one version of a data file.
 *
 * @throws UsageError for the keys
 */
export async function createFileSealing(
  keys: string | undefined,
  form?: SealedForm,
): Promise<FileSealing | undefined> {
  if (keys === undefined) return undefined;
  const { FileSealing } = await import("./file-sealing.js");
  return new FileSealing(keys, form);
}

export async function parseWithKeys(bytes: Uint8Array, keys: string | undefined): Promise<Data> {
  return parseData(bytes, (await createFileSealing(keys))?.open);
}

/**
 * Formats a data file: one record per line, by ascending id, for readable
 * diffs.
 */
export function* serializeData(data: Data): Generator<Buffer<ArrayBuffer>> {
  const { $schema, version, sealed, last_ids, history, environments, variables, values } = data;
  const fields: Complete<Omit<Data, ListName>> = { $schema, version, sealed, last_ids, history };
  let start = "{\n";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield Buffer.from(`${start}  "${name}": ${JSON.stringify(value)}`);
    start = ",\n";
  }
  for (const [name, list] of Object.entries({ environments, variables, values })) {
    let piece = `,\n  "${name}": [`;
    for (const [index, record] of list.toSorted(byId).entries()) {
      piece += `${index > 0 ? "," : ""}\n    ${JSON.stringify(record)}`;
      if (index % PIECE_RECORDS !== PIECE_RECORDS - 1) continue;
      yield Buffer.from(piece);
      piece = "";
    }
    yield Buffer.from(`${piece}\n  ]`);
  }
  yield Buffer.from("\n}\n");
}
