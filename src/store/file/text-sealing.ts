import { seal, unseal } from "../../kit/crypto/aes-gcm.js";
import { findSealKey, parseSealKeys } from "../../kit/crypto/seal-keys.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { SEALED_PREFIX } from "../../model/sealed-text.js";

/** Seals texts one by one, each for its owner: moved to another one, it can't be opened. */
export interface TextSealing {
  seal(text: string, owner: string): string;
  /** @throws InvalidDataError with a predicate as its message */
  open(sealed: string, owner: string): string;
  /** Whether a text is sealed with the first of the keys. */
  isCurrent(sealed: string): boolean;
}

const SEALED_TEXT = new RegExp(`^${SEALED_PREFIX}([\\w-]{11}):([\\w-]+)$`);

/**
 * A sealed text is the prefix, the first 8 bytes of a hash of the key, and nonce, ciphertext and
 * tag, in base64url.
 *
 * @param keys as for `parseSealKeys`
 * @throws UsageError
 */
export function createTextSealing(keys: string): TextSealing {
  const sealKeys = parseSealKeys(keys).map((key) => ({
    id: key.id,
    bytes: key.derive("", "appvars data file v1"),
  }));
  const [first] = sealKeys as [(typeof sealKeys)[number]];
  const start = `${SEALED_PREFIX}${first.id.toString("base64url")}:`;
  return {
    seal: (text, owner) => start + seal(text, first.bytes, owner).toString("base64url"),
    open(sealed, owner) {
      const [, id = "", encoded = ""] = SEALED_TEXT.exec(sealed) ?? [];
      const [idBytes, bytes] = [Buffer.from(id, "base64url"), Buffer.from(encoded, "base64url")];
      // Several texts decode to the same bytes.
      if (
        id === "" ||
        idBytes.toString("base64url") !== id ||
        bytes.toString("base64url") !== encoded
      )
        throw new InvalidDataError("is not a whole sealed text");
      const text = unseal(bytes, findSealKey(sealKeys, idBytes).bytes, owner);
      if (text === undefined)
        throw new InvalidDataError("was changed, or moved from another name or environment");
      return text;
    },
    isCurrent: (sealed) => sealed.startsWith(start),
  };
}
