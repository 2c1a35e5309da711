import { timingSafeEqual } from "node:crypto";
import { parseAuthorization } from "./authorization.js";
import { computeSignature, EMPTY_BODY_HASH, type Secret } from "./signature.js";

/** How far a timestamp may lie from the verifier's clock, in seconds. */
export interface Tolerance {
  /** Default 300. */
  past: number;
  /** Default 60. */
  future: number;
}

export const DEFAULT_TOLERANCE: Tolerance = { past: 300, future: 60 };

/** A request as it reached the server. */
export interface ReceivedRequest {
  method: string;
  /** The request target exactly as received. */
  target: string;
  /** The value of its `Authorization` header. */
  authorization: string;
}

/** The verifier's side: its clock and how much it may differ. */
export interface VerifyOptions {
  /** Unix time in milliseconds. */
  now: number;
  tolerance?: Tolerance;
}

/**
 * Whether the request carries a signature made with `secret`, within the tolerance. The signature may cover
 * any of {@link signableRoutes}, with the MD5 of `{}` or without a body hash. Compares in constant time.
 */
export function verify(request: ReceivedRequest, secret: Secret, options: VerifyOptions): boolean {
  const header = parseAuthorization(request.authorization);
  if (header === undefined || !isTimely(header.timestamp, options)) return false;
  const { timestamp, signature } = header;
  const { method } = request;
  return signableRoutes(request.target).some((route) =>
    [EMPTY_BODY_HASH, ""].some((bodyHash) =>
      timingSafeEqual(computeSignature({ timestamp, method, route, bodyHash }, secret), signature),
    ),
  );
}

function isTimely(timestamp: number, { now, tolerance = DEFAULT_TOLERANCE }: VerifyOptions): boolean {
  const age = now - timestamp;
  return age <= tolerance.past * 1_000 && -age <= tolerance.future * 1_000;
}

/**
 * The routes that a signature over this target may cover: the target as sent, and, since clients in use
 * do so, the target without its query and with its path percent-decoded.
 */
export function signableRoutes(target: string): string[] {
  const queryStart = target.indexOf("?");
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const query = target.slice(path.length);
  const decodedPath = percentDecode(path);
  return [...new Set([target, path, decodedPath + query, decodedPath])];
}

function percentDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
