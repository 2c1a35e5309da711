import { createHash, createHmac } from "node:crypto";

export interface HandSigned {
  secret: string;
  route: string;
  /** Unix time in milliseconds. Default now. */
  timestamp?: number | string;
  method?: string;
  /** What stands for the body: by default the MD5 of `{}`, as the contract's reference computation has it. */
  bodyHash?: string;
}

/** The `Authorization` header of the contract, computed apart from our own signing, so as to check it. */
export function signByHand({
  secret,
  route,
  timestamp = Date.now(),
  method = "GET",
  bodyHash = md5("{}"),
}: HandSigned): string {
  const hmac = createHmac("sha256", secret);
  hmac.update(`${timestamp}`).update(method).update(route).update(bodyHash);
  return `HMAC ${timestamp}:${hmac.digest("hex")}`;
}

export function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
