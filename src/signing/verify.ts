import { hash, timingSafeEqual } from "node:crypto";
import {
  DEFAULT_TOLERANCE,
  EMPTY_BODY_HASH,
  EMPTY_SECRET,
  parseAuthorization,
  stringToSign,
  type Tolerance,
} from "./sign.js";

/** The body hashes that a signature may cover. */
const BODY_HASHES = [EMPTY_BODY_HASH, ""];

export interface ReceivedRequest {
  method: string;
  /** The request target exactly as received. */
  target: string;
  authorization: string;
}

export interface VerifyOptions {
  /** Unix time in milliseconds. */
  now: number;
  tolerance?: Tolerance;
}

/** A request's signature, parsed once and checked against any number of secrets. */
export interface SignatureCheck {
  /** The number of HMACs that it takes to rule out a secret. */
  cost(): number;
  /** Whether the signature was made with this secret. Compares in constant time. */
  isSignedWith(secret: HmacKey): boolean;
}

/**
 * Whether the request has a signature made with `secret`, within the tolerance.
 * The signature may cover any of {@link signableRoutes}, with the MD5 of `{}`
 * or without a body hash. Compares in constant time.
 */
export function verify(request: ReceivedRequest, secret: string, options: VerifyOptions): boolean {
  return readSignature(request, options)?.isSignedWith(new HmacKey(secret)) ?? false;
}

/**
 * Reads the signature of a request without computing an HMAC.
 *
 * @returns `undefined` if no secret could make it valid: the header is
 *   malformed, the timestamp is outside the tolerance, or the target begins
 *   with neither a slash nor `http`, which separate method and route in the
 *   signed text
 */
export function readSignature(
  request: ReceivedRequest,
  options: VerifyOptions,
): SignatureCheck | undefined {
  const { method, target, authorization } = request;
  const { timestamp, signature } = parseAuthorization(authorization) ?? {};
  if (timestamp === undefined || signature === undefined) return undefined;
  if (!isTimely(Number(timestamp), options) || !/^(\/|https?:)/i.test(target)) return undefined;
  const covers = (secret: HmacKey, route: string) =>
    BODY_HASHES.some((bodyHash) =>
      equalDigests(secret.sign(stringToSign({ timestamp, method, route, bodyHash })), signature),
    );
  return {
    cost: () => signableRoutes(target).length * BODY_HASHES.length,
    // Nearly all clients sign the target as it is, which is the first route.
    isSignedWith: (secret) =>
      covers(secret, target) ||
      signableRoutes(target)
        .slice(1)
        .some((route) => covers(secret, route)),
  };
}

function isTimely(
  timestamp: number,
  { now, tolerance = DEFAULT_TOLERANCE }: VerifyOptions,
): boolean {
  const age = now - timestamp;
  return age <= tolerance.past * 1_000 && -age <= tolerance.future * 1_000;
}

/**
 * Returns the routes that a signature of this target may cover: the target as
 * sent and, since existing clients sign these, the target without its query and
 * with its path percent-decoded (docs/http-api.md).
 */
export function signableRoutes(target: string): string[] {
  // Nearly all requests: saves a microsecond.
  if (!/[?%]/.test(target)) return [target];
  const queryStart = target.indexOf("?");
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const query = target.slice(path.length);
  const decodedPath = decodePath(path);
  return [...new Set([target, path, decodedPath + query, decodedPath])];
}

/**
 * Decodes a path, unless it can't be decoded or would then contain a query or a
 * fragment.
 */
function decodePath(path: string): string {
  try {
    const decoded = decodeURIComponent(path);
    return /[?#]/.test(decoded) ? path : decoded;
  } catch {
    return path;
  }
}

const [ours, theirs] = [Buffer.alloc(64), Buffer.alloc(64)];

/** Compares two digests of 64 hex digits in constant time. */
function equalDigests(a: string, b: string): boolean {
  ours.write(a, "latin1");
  theirs.write(b, "latin1");
  return timingSafeEqual(ours, theirs);
}

/** Returns the hash of a secret for {@link secretMatches}. */
export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/**
 * Whether a secret has this hash. The time reveals neither where they differ
 * nor their lengths.
 */
export function secretMatches(secret: string, secretHash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), secretHash);
}

const BLOCK = 64;
const DIGEST = 32;

/** Holds the input of a hash. It has room for any request that a server accepts. */
const buffer = Buffer.alloc(32 * 1_024);

/**
 * A secret for many HMAC-SHA256s (RFC 2104). Two calls of `hash` take less time
 * than `createHmac`, whose object has to be finalized: a signed read takes 8%
 * more CPU time with it.
 */
export class HmacKey {
  readonly #inner: Buffer;
  /** The outer key, with room for the inner hash. */
  readonly #outer: Buffer;

  /** @throws RangeError for an empty secret */
  constructor(secret: string) {
    if (secret === "") throw new RangeError(EMPTY_SECRET);
    const key = Buffer.from(secret);
    const padded = Buffer.alloc(BLOCK);
    (key.length > BLOCK ? hash("sha256", key, "buffer") : key).copy(padded);
    this.#inner = padded.map((byte) => byte ^ 0x36) as Buffer;
    this.#outer = Buffer.concat([padded.map((byte) => byte ^ 0x5c), Buffer.alloc(DIGEST)]);
  }

  /** The HMAC of a string in UTF-8, in lowercase hex. */
  sign(text: string): string {
    const input =
      BLOCK + 3 * text.length > buffer.length ? Buffer.alloc(BLOCK + 3 * text.length) : buffer;
    input.set(this.#inner);
    const length = BLOCK + input.write(text, BLOCK);
    // As text, since a buffer for each result takes longer.
    this.#outer.write(hash("sha256", input.subarray(0, length), "binary"), BLOCK, "latin1");
    return hash("sha256", this.#outer, "hex");
  }
}
