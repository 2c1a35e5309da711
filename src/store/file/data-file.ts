import { constants } from "node:buffer";
import { readRegularFile } from "../../kit/files/open-file.js";
import { toInvalidData, toInvalidFile, withPathInErrors } from "../../kit/files/system-errors.js";
import type { Complete } from "../../model/variable.js";
import { byId, type Data, type List, NO_DATA } from "../data.js";
import { checkData, type OpenContent, parseData } from "../schema/parse-data.js";
import type { FileSealing, SealedForm } from "./file-sealing.js";

/** The largest data file, in bytes: JSON is parsed from one string, in V8 of up to 512 MB. */
export const MAX_DATA_SIZE = constants.MAX_STRING_LENGTH;

interface ReadOptions {
  open?: OpenContent | undefined;
  parse?: (bytes: Buffer, open?: OpenContent) => Promise<Data>;
}

/** @throws InvalidDataError with a predicate ("is empty"): missing data is never empty data */
export function readDataFile(
  path: string,
  { open, parse = parseData }: ReadOptions = {},
): Promise<Data> {
  // Without `await`: a function that waits keeps the bytes, as `parseData`
  // explains.
  return readRegularFile(path, MAX_DATA_SIZE)
    .then(({ bytes }) => parse(bytes, open))
    .catch((error: unknown) => {
      throw toInvalidData(error, "can't be read");
    });
}

/** Reads the content of a data file, sealed or not. @throws InvalidDataError */
export function readContent(path: string, name = path, mayBeEmpty = true): Promise<Data> {
  const parse = async (bytes: Buffer) =>
    mayBeEmpty && bytes.length === 0 ? NO_DATA : parseData(bytes, (content) => content);
  return withPathInErrors(name, readDataFile(path, { parse }));
}

/** Makes the sealing of one version of a data file. @throws UsageError for the keys */
export async function fileSealing(
  keys: string | undefined,
  form?: SealedForm,
): Promise<FileSealing | undefined> {
  if (keys === undefined) return undefined;
  const { FileSealing } = await import("./file-sealing.js");
  return new FileSealing(keys, form);
}

export async function parseWithKeys(bytes: Uint8Array, keys: string | undefined): Promise<Data> {
  return parseData(bytes, (await fileSealing(keys))?.open);
}

/** Opens content, sealed or not, without keys. */
export const openWithoutKeys: OpenContent = async (content) =>
  content.sealed ? (await import("./file-sealing.js")).withoutSecrets(content) : content;

/** Creates a data file. @throws InvalidDataError when the file exists or can't be written */
export async function createDataFile(
  path: string,
  data: Data,
  sealing?: FileSealing,
): Promise<void> {
  const { createFile } = await import("../../kit/files/durable-file.js");
  const checked = checkData(data);
  await createFile(path, dataPieces(sealing?.seal(checked) ?? checked)).catch((error) => {
    throw toInvalidFile(path, error, "can't be written");
  });
}

/** Records per piece, which takes about a millisecond. */
const PIECE_RECORDS = 2_000;

/** Formats a data file: one record per line, by ascending id, for readable diffs. */
export function* dataPieces(data: Data): Generator<Buffer<ArrayBuffer>> {
  const { $schema, version, sealed, last_ids, history, environments, variables, values } = data;
  const fields: Complete<Omit<Data, List>> = { $schema, version, sealed, last_ids, history };
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
