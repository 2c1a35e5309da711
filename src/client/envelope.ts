import { createHash } from "node:crypto";
import { SEAL_BYTES, seal, unseal } from "../kit/crypto/aes-gcm.js";
import { UsageError } from "../kit/text/errors.js";
import { DecryptionError } from "../model/errors.js";
import { ENVELOPE_PREFIX } from "../model/variable.js";

/**
 * Encrypts a string as docs/data-file.md describes: the prefix, then the sealed
 * bytes in base64.
 */
export function encrypt(text: string, key: string): string {
  return ENVELOPE_PREFIX + seal(text, keyBytes(key)).toString("base64");
}

/** @throws DecryptionError with the name, for a wrong key or a changed envelope */
export function decrypt(envelope: string, key: string, name?: string): string {
  const problem = `${name === undefined ? "" : `${name} `}can't be decrypted`;
  const base64 = envelope.slice(ENVELOPE_PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  // Buffer.from ignores characters that are not base64.
  if (bytes.toString("base64") !== base64 || bytes.length < SEAL_BYTES)
    throw new DecryptionError(`${problem}: it is not a complete encrypted value`);
  const text = unseal(bytes, keyBytes(key));
  if (text === undefined)
    throw new DecryptionError(`${problem}: the key is wrong, or the value was changed`);
  return text;
}

function keyBytes(key: string): Buffer {
  if (key === "") throw new UsageError("the encryption key must not be empty");
  return createHash("sha256").update(key, "utf8").digest();
}
