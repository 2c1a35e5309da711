import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { DecryptionError, UsageError } from "../domain/errors.js";
import { ENCRYPTED_PREFIX } from "../domain/variable.js";

// The form of spec.md, part 3: the prefix, then the base64 of a nonce, the AES-256-GCM ciphertext and its tag.
const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts text for whoever has the key, a text of any length. The result differs each time. */
export function encrypt(text: string, key: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyBytes(key), nonce);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return ENCRYPTED_PREFIX + Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64");
}

/** @throws DecryptionError when the key is not the one, or the envelope was changed or cut */
export function decrypt(envelope: string, key: string): string {
  const bytes = decodeEnvelope(envelope);
  const decipher = createDecipheriv(ALGORITHM, keyBytes(key), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    throw new DecryptionError("can't be decrypted: the key is another one, or the value was changed");
  }
}

function decodeEnvelope(envelope: string): Buffer {
  const base64 = envelope.slice(ENCRYPTED_PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  // Buffer.from passes over what is no base64.
  const isWhole = bytes.toString("base64") === base64 && bytes.length >= NONCE_BYTES + TAG_BYTES;
  if (!isWhole) throw new DecryptionError("can't be decrypted: it is not a whole encrypted value");
  return bytes;
}

function keyBytes(key: string): Buffer {
  if (key === "") throw new UsageError("the encryption key must not be empty");
  return createHash("sha256").update(key, "utf8").digest();
}
