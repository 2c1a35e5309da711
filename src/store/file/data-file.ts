import { readRegularFile } from "../../kit/files/read-file.js";
import { toInvalidData, toInvalidFile, withPathInErrors } from "../../kit/files/system-errors.js";
import { MAX_DATA_SIZE, serializeData } from "../bytes/data-text.js";
import type { FileSealing } from "../bytes/file-sealing.js";
import { type Data, NO_DATA } from "../data.js";
import { checkData, type OpenContent, parseData } from "../schema/parse-data.js";

interface ReadOptions {
  open?: OpenContent | undefined;
  parse?: (bytes: Buffer, open?: OpenContent) => Promise<Data>;
}

/**
 * @throws InvalidDataError without a subject ("is empty"): missing data is
 *   never empty data
 */
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

/** Opens content, sealed or not, without keys. */
export const openWithoutKeys: OpenContent = async (content) =>
  content.sealed
    ? (await import("../bytes/file-sealing.js")).withUnreadableSecrets(content)
    : content;

/**
 * Creates a data file.
 *
 * @throws InvalidDataError when the file exists or can't be written
 */
export async function createDataFile(
  path: string,
  data: Data,
  sealing?: FileSealing,
): Promise<void> {
  const { createFile } = await import("../../kit/files/durable-file.js");
  const checked = checkData(data);
  await createFile(path, serializeData(sealing?.seal(checked) ?? checked)).catch((error) => {
    throw toInvalidFile(path, error, "can't be written");
  });
}
