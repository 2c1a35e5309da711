import { sealParts, unsealBytes } from "../kit/crypto/aes-gcm.js";
import { findSealKey, ID_BYTES, parseSealKeys } from "../kit/crypto/seal-keys.js";
import { InvalidDataError } from "../kit/text/errors.js";
import { NeedsSealKeyError } from "../model/sealed-text.js";

/** The owner of sealed bytes, which can't be moved to another key, write or store. */
interface SealedFor {
  /** The id of the store. */
  readonly store: string;
  /** The id of the write that made them. */
  readonly write: string;
  /** The key in etcd. */
  readonly key: string;
}

export type Owner = Pick<SealedFor, "store"> & Partial<Pick<SealedFor, "write">>;

export interface Sealing {
  seal(bytes: Uint8Array, owner: SealedFor): Buffer;
  /** @throws InvalidDataError with a predicate as its message */
  open(bytes: Buffer, key: string): Buffer;
  /** Checks for whom bytes were sealed that could be opened. @throws as `open` */
  checkOwner(bytes: Buffer, owner: Owner): void;
}

// Sealed bytes: this mark, which no JSON and no gzip begins with; the first 8 bytes of the SHA-256
// of the key; the ids of the store and of the write, 16 bytes each; nonce, ciphertext and tag.
const MARK = Buffer.from("\u0001av2");
const STORE_AT = MARK.length + ID_BYTES;
const HEADER_BYTES = STORE_AT + 2 * 16;

export const UNSEALED: Sealing = {
  seal: (bytes) => Buffer.from(bytes),
  open(bytes) {
    if (isSealed(bytes)) throw new NeedsSealKeyError();
    return bytes;
  },
  checkOwner: () => {},
};

/**
 * Derives a key for each write, so that random nonces can't repeat (docs/design/sealing.md).
 *
 * @param content the key file
 * @throws UsageError
 */
export function createSealing(content: string): Sealing {
  const keys = parseSealKeys(content);
  const [first] = keys;
  // The header has the ids of the store and of the write.
  const writeKey = (key: typeof first, header: Buffer) => key.derive(header, "appvars store v2");
  return {
    seal(bytes, owner) {
      const header = Buffer.concat([MARK, first.id, idBytes(owner.store), idBytes(owner.write)]);
      return Buffer.concat([header, ...sealParts([bytes], writeKey(first, header), owner.key)]);
    },
    open(bytes, key) {
      if (!isSealed(bytes))
        throw new InvalidDataError(
          "is not sealed: somebody without the key has written it, or the store is not sealed",
        );
      const header = bytes.subarray(0, HEADER_BYTES);
      const sealKey = findSealKey(keys, header.subarray(MARK.length, STORE_AT));
      const opened = unsealBytes(bytes.subarray(HEADER_BYTES), writeKey(sealKey, header), key);
      if (!opened)
        throw new InvalidDataError("can't be opened: it was changed, or moved from another key");
      return opened;
    },
    checkOwner(bytes, { store, write = "" }) {
      const owner = Buffer.concat([idBytes(store), idBytes(write)]);
      if (!owner.equals(bytes.subarray(STORE_AT, STORE_AT + owner.length)))
        throw new InvalidDataError("is of another store or write");
    },
  };
}

export function isSealed(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.subarray(0, MARK.length).equals(MARK);
}

function idBytes(id: string): Buffer {
  return Buffer.from(id, "base64url");
}
