import { InvalidDataError } from "../domain/errors.js";
import { JsonError, parseJson } from "../domain/json.js";
import { tryDecodeUtf8 } from "../files/decode-utf8.js";
import { checkData } from "./check-data.js";
import type { Data } from "./data.js";

/**
 * Parses the bytes of a data file and fills in defaults.
 *
 * @throws InvalidDataError with the first broken rule and the record, or the line and column; never quotes the file,
 *   which is full of secrets
 */
export async function parseData(bytes: Uint8Array): Promise<Data> {
  try {
    return checkData(parseJson(decode(bytes)));
  } catch (error) {
    throw error instanceof JsonError ? new InvalidDataError(`is not valid JSON: ${error.message}`) : error;
  }
}

function decode(bytes: Uint8Array): string {
  const text = tryDecodeUtf8(bytes, { ignoreBOM: true });
  if (text === undefined) throw new InvalidDataError("is not valid UTF-8");
  if (text.startsWith("\uFEFF")) throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  return text;
}
