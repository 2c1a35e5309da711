import { createHmac, type KeyObject } from "node:crypto";

/** Lowercase hex MD5 of `{}`, which the reference computation includes for a request without a body. */
export const EMPTY_BODY_HASH = "99914b932bd37a50b983c5e7c90ae93b";

/** An API secret: as text, or as the key object that a server prepares once for many requests. */
export type Secret = string | KeyObject;

/** The parts of a request that a signature covers. */
export interface SignedParts {
  /** Unix time in milliseconds. */
  timestamp: number;
  /** Any case; signed in upper case. */
  method: string;
  /** The request target as sent: the path and, if there is one, `?` and the query. */
  route: string;
  /** Lowercase hex MD5 of the JSON body; `""` leaves it out. Default: the hash of `{}`. */
  bodyHash?: string;
}

/** The text that is signed: timestamp, method, route and body hash with nothing between them. */
export function stringToSign({ timestamp, method, route, bodyHash = EMPTY_BODY_HASH }: SignedParts): string {
  return `${timestamp}${method.toUpperCase()}${route}${bodyHash}`;
}

/**
 * HMAC-SHA256 over {@link stringToSign}, keyed with the API secret.
 *
 * @throws RangeError for an empty secret, which node:crypto would take
 */
export function computeSignature(parts: SignedParts, secret: Secret): Buffer {
  const isEmpty = typeof secret === "string" ? secret === "" : secret.symmetricKeySize === 0;
  if (isEmpty) throw new RangeError("an API secret must not be empty");
  return createHmac("sha256", secret).update(stringToSign(parts)).digest();
}
