import { seal, unseal } from "../../kit/crypto/aes-gcm.js";
import { findSealKey, parseSealKeys } from "../../kit/crypto/seal-keys.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { SEALED_PREFIX } from "../../model/sealed-text.js";

const SEALED_TEXT = new RegExp(`^${SEALED_PREFIX}([\\w-]{11}):([\\w-]+)$`);

/**
 * Seals texts one by one, each for its owner: moved to another one, it can't be opened. A sealed
 * text is the prefix, the id of the key, and nonce, ciphertext and tag, in base64url.
 */
export class TextSealing {
  readonly #keys: readonly { readonly id: Buffer; readonly bytes: Buffer }[];
  /** The start of a text that is sealed with the first of the keys. */
  readonly #start: string;

  /** @param keys as for `parseSealKeys` @throws UsageError */
  constructor(keys: string) {
    const sealKeys = parseSealKeys(keys);
    this.#keys = sealKeys.map((key) => ({
      id: key.id,
      bytes: key.derive("", "appvars data file v1"),
    }));
    this.#start = `${SEALED_PREFIX}${sealKeys[0].id.toString("base64url")}:`;
  }

  seal(text: string, owner: string): string {
    return this.#start + seal(text, this.#keys[0]?.bytes as Buffer, owner).toString("base64url");
  }

  /** @throws InvalidDataError with a predicate as its message */
  open(sealed: string, owner: string): string {
    const parts = SEALED_TEXT.exec(sealed)?.slice(1) ?? [];
    const [id, bytes] = parts.map((part) => Buffer.from(part, "base64url"));
    // Several texts decode to the same bytes.
    if (!id || !bytes || [id, bytes].some((each, i) => each.toString("base64url") !== parts[i]))
      throw new InvalidDataError("is not a whole sealed text");
    const text = unseal(bytes, findSealKey(this.#keys, id).bytes, owner);
    if (text === undefined)
      throw new InvalidDataError("was changed, or moved from another name or environment");
    return text;
  }

  /** Whether a text is sealed with the first of the keys. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(this.#start);
  }
}
