import { constants, isUtf8 } from "node:buffer";
import { UsageError } from "./errors.js";

/**
 * Decodes a command's input.
 *
 * @param what the name of the input in errors
 * @param options.ignoreBOM keeps a byte order mark, as in TextDecoder
 * @throws UsageError for invalid UTF-8, which Node's decoders replace with
 *   U+FFFD
 */
export function decodeUtf8(
  bytes: Uint8Array,
  what: string,
  options: { ignoreBOM?: boolean } = {},
): string {
  if (bytes.length > constants.MAX_STRING_LENGTH)
    throw new UsageError(`${what} is too large: the limit is 512 MB`);
  if (!isUtf8(bytes)) throw new UsageError(`${what} is not valid UTF-8`);
  return new TextDecoder("utf-8", options).decode(bytes);
}
