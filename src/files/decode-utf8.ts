import { constants } from "node:buffer";
import { UsageError } from "../domain/errors.js";

/**
 * The text in these bytes; undefined when they are not valid UTF-8, which Node's own functions replace with U+FFFD.
 *
 * @param options.ignoreBOM as in TextDecoder: true keeps a byte order mark
 */
export function tryDecodeUtf8(bytes: Uint8Array, options: { ignoreBOM?: boolean } = {}): string | undefined {
  try {
    return new TextDecoder("utf-8", { ...options, fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The same for input of a command. @param what names the input in the error @throws UsageError */
export function decodeUtf8(bytes: Uint8Array, what: string, options: { ignoreBOM?: boolean } = {}): string {
  // The decoder also fails for more than V8 can hold in one string.
  if (bytes.length > constants.MAX_STRING_LENGTH) throw new UsageError(`${what} is too large: the limit is 512 MB`);
  const text = tryDecodeUtf8(bytes, options);
  if (text === undefined) throw new UsageError(`${what} is not valid UTF-8`);
  return text;
}

/** Refuses an argument or environment variable that was not UTF-8: Node replaces its bytes. @throws UsageError */
export function checkDecoded(text: string | undefined, what: string): void {
  if (text?.includes("\ufffd")) throw new UsageError(`${what} is not valid UTF-8, or contains U+FFFD`);
}
