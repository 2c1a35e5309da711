import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two secrets are the same, in a time that tells neither where they differ nor how long they are. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
