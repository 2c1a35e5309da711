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
export function parseData(bytes: Uint8Array): Promise<Data> {
  // A chain rather than nested calls: each step releases its input, which is large.
  return decode(bytes)
    .then((text) => parseContent(text))
    .then((content) => checkData(content, { isOwn: true }));
}

async function decode(bytes: Uint8Array): Promise<string> {
  const text = tryDecodeUtf8(bytes, { ignoreBOM: true });
  if (text === undefined) throw new InvalidDataError("is not valid UTF-8");
  if (text.startsWith("\uFEFF")) throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  return text;
}

function parseContent(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof JsonError ? new InvalidDataError(`is not valid JSON: ${error.message}`) : error;
  }
}
