import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The number of bytes that sealing adds. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts a string with AES-256-GCM: a random nonce, the ciphertext and its
 * tag.
 *
 * @param key 32 bytes
 * @param context authenticated with the text, and required to decrypt it
 */
export function seal(text: string, key: Buffer, context = ""): Buffer {
  return Buffer.concat([...sealParts([Buffer.from(text)], key, context)]);
}

/** Encrypts one text in parts, as {@link seal} does. */
export function* sealParts(
  parts: Iterable<Uint8Array>,
  key: Buffer,
  context = "",
): Generator<Buffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  yield nonce;
  for (const part of parts) yield cipher.update(part);
  cipher.final();
  yield cipher.getAuthTag();
}

/**
 * Decrypts a string. Returns `undefined` if it was not sealed with this key and
 * context.
 */
export function unseal(bytes: Buffer, key: Buffer, context = ""): string | undefined {
  return unsealBytes(bytes, key, context)?.toString("utf8");
}

export function unsealBytes(bytes: Buffer, key: Buffer, context = ""): Buffer | undefined {
  if (bytes.length < SEAL_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}
