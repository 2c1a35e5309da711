import { sealParts, unsealBytes } from "../kit/crypto/aes-gcm.js";
import { InvalidDataError } from "../kit/text/errors.js";
import { NeedsSealKeyError } from "../model/seal-key.js";
import { findSealKey, ID_BYTES, parseSealKeys, type SealKey } from "../store/bytes/seal-keys.js";

/** The owner of sealed bytes. They can't be moved to another owner. */
export interface Owner {
  /** The id of the store. */
  readonly store: string;
  /** The id of the write that made them. */
  readonly write?: string;
}

interface SealedFor extends Required<Owner> {
  /** The key in etcd, with its prefix. */
  readonly key: string;
}

// Sealed bytes: a mark, which no JSON and no gzip begins with; the first 8
// bytes of the SHA-256 of the key; the ids of the store and of the write, 16
// bytes each; nonce, ciphertext and tag.
const MARK = Buffer.from("\u0001av2");
const STORE_AT = MARK.length + ID_BYTES;
const HEADER_BYTES = STORE_AT + 2 * 16;

const USE = "appvars store v2";

/**
 * Derives a key for each write from its header, so that random nonces can't
 * repeat (docs/design/sealing.md).
 */
export class Sealing {
  readonly #keys: readonly SealKey[];

  /**
   * @param content the key file; without one, nothing is sealed
   *
   * @throws UsageError
   */
  constructor(content?: string) {
    this.#keys = content === undefined ? [] : parseSealKeys(content);
  }

  seal(bytes: Uint8Array, { store, write, key }: SealedFor): Buffer {
    const [first] = this.#keys;
    if (!first) return Buffer.from(bytes);
    const header = Buffer.concat([MARK, first.id, idBytes(store), idBytes(write)]);
    return Buffer.concat([header, ...sealParts([bytes], first.derive(header, USE), key)]);
  }

  /** @throws InvalidDataError whose message has no subject */
  open(bytes: Buffer, key: string): Buffer {
    if (this.#keys.length === 0) {
      if (isSealed(bytes)) throw new NeedsSealKeyError();
      return bytes;
    }
    if (!isSealed(bytes))
      throw new InvalidDataError(
        "is not sealed: somebody without the key has written it, or the store is not sealed",
      );
    const header = bytes.subarray(0, HEADER_BYTES);
    const sealKey = findSealKey(this.#keys, header.subarray(MARK.length, STORE_AT));
    const opened = unsealBytes(bytes.subarray(HEADER_BYTES), sealKey.derive(header, USE), key);
    if (!opened)
      throw new InvalidDataError("can't be opened: it was changed, or moved from another key");
    return opened;
  }

  /** Checks the owner of bytes that could be opened. */
  checkOwner(bytes: Buffer, { store, write = "" }: Owner): void {
    const owner = Buffer.concat([idBytes(store), idBytes(write)]);
    if (this.#keys.length > 0 && !owner.equals(bytes.subarray(STORE_AT, STORE_AT + owner.length)))
      throw new InvalidDataError("belongs to another store or write");
  }
}

export function isSealed(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.subarray(0, MARK.length).equals(MARK);
}

function idBytes(id: string): Buffer {
  return Buffer.from(id, "base64url");
}
