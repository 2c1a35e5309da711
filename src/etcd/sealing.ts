import { isUtf8 } from "node:buffer";
import { createHash, hkdfSync } from "node:crypto";
import { InvalidDataError, UsageError } from "../domain/errors.js";
import { seal, unseal } from "../encryption/aes-gcm.js";

/** How the text of a record is kept in the store. All throw InvalidDataError, with a predicate as the message. */
export interface Sealing {
  /** @param key of the stored bytes: they can't be moved to another one */
  seal(text: string, key: string): Buffer;
  open(bytes: Buffer, key: string): string;
  /** Whether the bytes are as `seal` makes them now: not in plain text, nor sealed with another key. */
  isCurrent(bytes: Buffer): boolean;
}

// A sealed record: these bytes, which no JSON begins with; the first 8 bytes of the SHA-256 of the key; then `seal`.
const MARK = Buffer.from("\u0001avs");
const ID_BYTES = 8;
const HEADER_BYTES = MARK.length + ID_BYTES;
const MIN_KEY_LENGTH = 32;

export const UNSEALED: Sealing = {
  seal: (text) => Buffer.from(text),
  open(bytes) {
    if (isSealed(bytes)) throw new InvalidDataError("is sealed: to read it, use --store-key-file");
    return decode(bytes);
  },
  isCurrent: (bytes) => !isSealed(bytes),
};

/**
 * Seals with the first of the keys, and opens with all of them: to rotate a key, write the new one above it.
 *
 * @param content of the key file: a key on each line
 * @param allowsPlain whether to open records that are not sealed too. Otherwise they are refused, so that nobody without
 *   a key can add one
 * @throws UsageError
 */
export function createSealing(content: string, { allowsPlain = false } = {}): Sealing {
  const lines = content.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.some((line) => line.length < MIN_KEY_LENGTH || /\s/.test(line)))
    throw new UsageError(
      `--store-key-file: each line must be a key of ${MIN_KEY_LENGTH} or more characters without spaces, such as the ` +
        "output of: openssl rand -hex 32",
    );
  const keys = lines.map(deriveKey);
  const [first] = keys;
  if (first === undefined) throw new UsageError("--store-key-file: there is no key in it");
  return {
    seal: (text, key) => Buffer.concat([MARK, first.id, seal(text, first.key, key)]),
    open(bytes, key) {
      if (!isSealed(bytes)) {
        if (allowsPlain) return decode(bytes);
        throw new InvalidDataError(
          "is not sealed: the store has not been sealed yet, or somebody without the key has written it",
        );
      }
      const id = bytes.subarray(MARK.length, HEADER_BYTES);
      const known = keys.find((item) => item.id.equals(id));
      if (!known) throw new InvalidDataError("is sealed with a key that is not in the file of --store-key-file");
      const text = unseal(bytes.subarray(HEADER_BYTES), known.key, key);
      if (text === undefined) throw new InvalidDataError("can't be opened: it was changed, or moved from another key");
      return text;
    },
    isCurrent: (bytes) => isSealed(bytes) && first.id.equals(bytes.subarray(MARK.length, HEADER_BYTES)),
  };
}

function deriveKey(line: string): { id: Buffer; key: Buffer } {
  const key = Buffer.from(hkdfSync("sha256", line, "", "appvars store v1 records", 32));
  return { id: createHash("sha256").update(key).digest().subarray(0, ID_BYTES), key };
}

export function isSealed(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.subarray(0, MARK.length).equals(MARK);
}

function decode(bytes: Buffer): string {
  // Faster than a TextDecoder, for short texts.
  if (!isUtf8(bytes)) throw new InvalidDataError("is not valid UTF-8");
  return bytes.toString("utf8");
}
