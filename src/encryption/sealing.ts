import { createHash, hkdfSync } from "node:crypto";
import { InvalidDataError, UsageError } from "../domain/errors.js";
import { sealParts, unsealBytes } from "./aes-gcm.js";

/** Whose bytes they are: sealed bytes can't be moved to another key, write or store. */
interface SealedFor {
  /** The id of the store. */
  readonly store: string;
  /** The id of the write that made them. */
  readonly write: string;
  /** The key in etcd. */
  readonly key: string;
}

/** How bytes are kept in the store. */
export interface Sealing {
  seal(bytes: Uint8Array, owner: SealedFor): Buffer;
  /** @throws InvalidDataError with a predicate as its message */
  open(bytes: Buffer, key: string): Buffer;
  /** Checks who sealed bytes that could be opened. @throws as `open` */
  checkOwner(bytes: Buffer, owner: Partial<Omit<SealedFor, "key">>): void;
}

// Sealed bytes: this mark, which no JSON and no gzip begins with; the first 8 bytes of the SHA-256 of the key; the ids of
// the store and of the write, 16 bytes each; nonce, ciphertext and tag.
const MARK = Buffer.from("\u0001av2");
const ID_BYTES = 8;
const STORE_AT = MARK.length + ID_BYTES;
const WRITE_AT = STORE_AT + 16;
const HEADER_BYTES = WRITE_AT + 16;
const MIN_KEY_LENGTH = 32;

export const UNSEALED: Sealing = {
  seal: (bytes) => Buffer.from(bytes),
  open(bytes) {
    if (isSealed(bytes)) throw new InvalidDataError("is sealed: to read it, use --store-key-file");
    return bytes;
  },
  checkOwner: () => {},
};

/**
 * Seals with the first of the keys, and opens with all of them: to rotate a key, write the new one above it. The
 * encryption key is derived for each write, so that random nonces can't repeat (NIST SP 800-38D, section 8.3).
 *
 * @param content of the key file: a key on each line
 * @throws UsageError
 */
export function createSealing(content: string): Sealing {
  const lines = keyLines(content);
  if (lines.some((line) => line.length < MIN_KEY_LENGTH || /\s/.test(line)))
    throw new UsageError(
      `--store-key-file: each line must be a key of ${MIN_KEY_LENGTH} or more characters without spaces, such as the ` +
        "output of: openssl rand -hex 32",
    );
  const keys = lines.map((line) => ({ line, id: keyId(line) }));
  const [first] = keys;
  if (first === undefined) throw new UsageError("--store-key-file: there is no key in it");
  return {
    seal(bytes, owner) {
      const header = Buffer.concat([MARK, first.id, idBytes(owner.store), idBytes(owner.write)]);
      return Buffer.concat([header, ...sealParts([bytes], writeKey(first.line, header), owner.key)]);
    },
    open(bytes, key) {
      if (!isSealed(bytes))
        throw new InvalidDataError(
          "is not sealed: somebody without the key has written it, or the store is not sealed",
        );
      const header = bytes.subarray(0, HEADER_BYTES);
      const known = keys.find(({ id }) => id.equals(header.subarray(MARK.length, STORE_AT)));
      if (!known) throw new InvalidDataError("is sealed with a key that is not in the file of --store-key-file");
      const opened = unsealBytes(bytes.subarray(HEADER_BYTES), writeKey(known.line, header), key);
      if (!opened) throw new InvalidDataError("can't be opened: it was changed, or moved from another key");
      return opened;
    },
    checkOwner(bytes, { store, write }) {
      const isStore = store === undefined || idBytes(store).equals(bytes.subarray(STORE_AT, WRITE_AT));
      const isWrite = write === undefined || idBytes(write).equals(bytes.subarray(WRITE_AT, HEADER_BYTES));
      if (!isStore || !isWrite) throw new InvalidDataError("is of another store or write");
    },
  };
}

/** Only the first of the keys. */
export function firstKey(content: string): string {
  return keyLines(content)[0] ?? "";
}

function keyLines(content: string): string[] {
  return content.split(/\r?\n/).filter((line) => line.trim() !== "");
}

export function isSealed(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.subarray(0, MARK.length).equals(MARK);
}

/** The header has the ids of the store and of the write. */
function writeKey(line: string, header: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", line, header, "appvars store v2", 32));
}

function keyId(line: string): Buffer {
  return createHash("sha256")
    .update(Buffer.from(hkdfSync("sha256", line, "", "appvars store v2 key id", 32)))
    .digest()
    .subarray(0, ID_BYTES);
}

function idBytes(id: string): Buffer {
  return Buffer.from(id, "base64url");
}
