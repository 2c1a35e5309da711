import { builtins } from "../kit/process/builtins.js";
import { UnauthorizedError } from "../kit/text/errors.js";
import type { AuthScheme } from "../model/server-options.js";
import { EMPTY_OBJECT_MD5 } from "../model/variable.js";

/** Signed for a request without a body (docs/http-api.md). */
export const EMPTY_BODY_HASH = EMPTY_OBJECT_MD5;

export const DEFAULT_TOLERANCE: Tolerance = { past: 300, future: 60 };

/** The message for an empty secret, which node:crypto would accept. */
export const EMPTY_SECRET = "an API secret must not be empty";

/** The parts of a request that a signature covers. */
export interface SignedParts {
  /** Unix time in milliseconds. */
  timestamp: number;
  /** Any case; signed in upper case. */
  method: string;
  /**
   * The request target as sent: the path and, if there is one, `?` and the
   * query.
   */
  route: string;
  /**
   * Lowercase hex MD5 of the JSON body; `""` leaves it out. Default: the hash
   * of `{}`.
   */
  bodyHash?: string;
}

/**
 * Returns the value of the `Authorization` header for one request:
 * `HMAC <timestamp>:<signature>`.
 *
 * @example
 * const route = "/v1/variables?limit=2";
 * sign({ timestamp: Date.now(), method: "GET", route }, apiSecret)
 *
 * @throws RangeError for an empty secret
 */
export function sign(request: SignedParts, secret: string): string {
  if (secret === "") throw new RangeError(EMPTY_SECRET);
  const signature = builtins.crypto
    .createHmac("sha256", secret)
    .update(stringToSign(request))
    .digest("hex");
  return `HMAC ${request.timestamp}:${signature}`;
}

/** The parts of a request, with the timestamp as it is sent. */
type SentParts = Omit<SignedParts, "timestamp"> & { timestamp: number | string };

/**
 * Returns the signed text: timestamp, method, route and body hash, without
 * separators.
 */
export function stringToSign({
  timestamp,
  method,
  route,
  bodyHash = EMPTY_BODY_HASH,
}: SentParts): string {
  return `${timestamp}${method.toUpperCase()}${route}${bodyHash}`;
}

/**
 * Parses the result of {@link sign}; `undefined` for any other form. 13 digits
 * cover the years 2001 to 2286.
 */
export function parseAuthorization(
  header: string,
): { timestamp: string; signature: string } | undefined {
  if (!/^HMAC \d{13}:[0-9a-f]{64}$/.test(header)) return undefined;
  // Groups, and a number that would become text again, would take 0.2 µs
  // longer.
  return { timestamp: header.slice(5, 18), signature: header.slice(19) };
}

/** How far a timestamp may differ from the verifier's clock, in seconds. */
export interface Tolerance {
  /** Default 300. */
  past: number;
  /** Default 60. */
  future: number;
}

/**
 * Compares this machine's clock with a server's, for the default tolerance.
 *
 * @param skew how far this machine's clock is ahead, in milliseconds
 */
export function describeSkew(skew: number) {
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const { past, future } = DEFAULT_TOLERANCE;
  const [limit, offset, allowed] =
    skew > 0 ? [future, "ahead of", "ahead"] : [past, "behind", "old"];
  const message = `this machine's clock is ${seconds} s ${offset} the server's; signatures may be up to ${limit} s ${allowed}`;
  return { seconds, limit, message };
}

/** @throws UnauthorizedError if a required credential is missing */
export function authHeaders(
  scheme: AuthScheme,
  { apiKey, apiSecret }: { apiKey?: string | undefined; apiSecret?: string | undefined },
  request: SignedParts,
): Record<string, string> {
  if (!apiSecret) throw new UnauthorizedError("the API secret is missing");
  if (scheme === "hmac")
    return { ...(apiKey && { "x-api-key": apiKey }), authorization: sign(request, apiSecret) };
  if (!apiKey) throw new UnauthorizedError("the API key is missing");
  return { "x-api-key": apiKey, "x-api-secret": apiSecret };
}
