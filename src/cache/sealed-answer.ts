import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An answer of the server, and when it came. */
export interface KeptAnswer {
  answer: unknown;
  /** Unix time in milliseconds. */
  savedAt: number;
}

/** Encrypts an answer: the base64 of nonce, AES-256-GCM ciphertext and tag. `context` is authenticated with it. */
export function sealAnswer(kept: KeptAnswer, key: Buffer, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(kept), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64");
}

/** The answer, or undefined when the text is anything but one that was sealed with this key for this context. */
export function openAnswer(text: string, key: Buffer, context: string): KeptAnswer | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    // It is what was sealed: only who has the key could have made it.
    return JSON.parse(plain.toString("utf8")) as KeptAnswer;
  } catch {
    return undefined;
  }
}
