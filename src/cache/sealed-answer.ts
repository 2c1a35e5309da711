import { seal, unseal } from "../encryption/aes-gcm.js";

/** An answer of the server, and when it came. */
export interface KeptAnswer {
  answer: unknown;
  /** Unix time in milliseconds. */
  savedAt: number;
}

/** Encrypts an answer, in base64. `context` is authenticated with it. */
export function sealAnswer(kept: KeptAnswer, key: Buffer, context: string): string {
  return seal(JSON.stringify(kept), key, context).toString("base64");
}

/** The answer, or undefined when the text is anything but one that was sealed with this key for this context. */
export function openAnswer(text: string, key: Buffer, context: string): KeptAnswer | undefined {
  const plain = unseal(Buffer.from(text, "base64"), key, context);
  // It is what was sealed: only who has the key could have made it.
  return plain === undefined ? undefined : (JSON.parse(plain) as KeptAnswer);
}
