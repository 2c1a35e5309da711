import { createHash, createHmac } from "node:crypto";

export interface HandSigned {
  secret: string;
  route: string;
  /** Unix time in milliseconds. Default now. */
  timestamp?: number | string;
  method?: string;
  /** Default: the MD5 of `{}`. */
  bodyHash?: string;
}

/** The `Authorization` header, computed independently of `src/signing`. */
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
