import { createHash } from "node:crypto";
import { DecryptionError, UsageError } from "../domain/errors.js";
import { ENCRYPTED_PREFIX } from "../domain/variable.js";
import { SEAL_BYTES, seal, unseal } from "./aes-gcm.js";

// The form of spec.md, part 3: the prefix, then the base64 of a nonce, the AES-256-GCM ciphertext and its tag.

/** Encrypts text for whoever has the key, a text of any length. The result differs each time. */
export function encrypt(text: string, key: string): string {
  return ENCRYPTED_PREFIX + seal(text, keyBytes(key)).toString("base64");
}

/** @throws DecryptionError when the key is not the one, or the envelope was changed or cut */
export function decrypt(envelope: string, key: string): string {
  const text = unseal(decodeEnvelope(envelope), keyBytes(key));
  if (text !== undefined) return text;
  throw new DecryptionError("can't be decrypted: the key is another one, or the value was changed");
}

function decodeEnvelope(envelope: string): Buffer {
  const base64 = envelope.slice(ENCRYPTED_PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  // Buffer.from passes over what is no base64.
  const isWhole = bytes.toString("base64") === base64 && bytes.length >= SEAL_BYTES;
  if (!isWhole) throw new DecryptionError("can't be decrypted: it is not a whole encrypted value");
  return bytes;
}

function keyBytes(key: string): Buffer {
  if (key === "") throw new UsageError("the encryption key must not be empty");
  return createHash("sha256").update(key, "utf8").digest();
}
