import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { KeyPair } from "../../model/environment.js";
import { MAX_KEYLESS_TARGET } from "../../model/routes.js";
import type { Service } from "../../service/service.js";
import type { Tolerance } from "../../signing/sign.js";
import {
  HmacKey,
  hashSecret,
  readSignature,
  type SignatureCheck,
  secretMatches,
} from "../../signing/verify.js";
import type { AddressOf } from "../limits/client-address.js";
import { createKeylessSearch, type Identity } from "../limits/keyless-search.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import { countHeader } from "./arrival.js";

export interface AuthenticationOptions {
  addressOf: AddressOf;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  tolerance: Tolerance;
}

export type Authenticate = (req: IncomingMessage) => Identity;

/** Checked for an unknown key: the time must not reveal which keys exist. */
const NO_PAIR: KeyPair = { api_key: "", api_secret: randomBytes(32).toString("hex") };

/**
 * Authenticates requests. Requests without valid credentials cause limited
 * work.
 */
export function createAuthenticator(
  service: Service,
  limiter: RateLimiter,
  { addressOf, clock, ticks, tolerance }: AuthenticationOptions,
): Authenticate {
  const secrets = new WeakMap<KeyPair, PreparedSecret>();
  const search = createKeylessSearch(ticks);

  return (req) => {
    const { method = "", url: target = "", headers } = req;
    const { authorization } = headers;
    if (authorization === undefined) {
      const { owner, secret } = claim(req);
      return secretMatches(header(req, "x-api-secret"), secret.hash) ? { owner } : {};
    }
    // Node drops all but the first.
    if (countHeader(req, "authorization") > 1) return {};
    const check = readSignature({ method, target, authorization }, { now: clock(), tolerance });
    if (check === undefined) return {};
    const hasKey = headers["x-api-key"] !== undefined;
    const isLong = target.length > MAX_KEYLESS_TARGET;
    if (isLong && !hasKey) return {};
    // Other requests cost little.
    if ((isLong || !hasKey) && limiter.isUsedUp({ kind: "address", id: addressOf(req) })) return {};
    if (!hasKey) return byAnySignature(req, check);
    const { owner, secret } = claim(req);
    return check.madeWith(secret.key) ? { owner } : {};
  };

  /** Prepares each secret once. */
  function prepared(pair: KeyPair): PreparedSecret {
    const kept = secrets.get(pair);
    if (kept) return kept;
    const secret = { key: new HmacKey(pair.api_secret), hash: hashSecret(pair.api_secret) };
    secrets.set(pair, secret);
    return secret;
  }

  /**
   * Finds the owner of a request's key, if it is valid now, and the secret to
   * check.
   */
  function claim(req: IncomingMessage) {
    const claimed = service.ownerOfKey(header(req, "x-api-key"));
    const owner = claimed && clock() < claimed.validUntil ? claimed : undefined;
    return { owner, secret: prepared(owner?.pair ?? NO_PAIR) };
  }

  function byAnySignature(req: IncomingMessage, { cost, madeWith }: SignatureCheck): Identity {
    const now = clock();
    const candidates = service.keylessOwners.filter(({ validUntil }) => now < validUntil);
    const address = addressOf(req);
    return search(candidates, { address, cost, madeWith: (pair) => madeWith(prepared(pair).key) });
  }
}

/** Node joins repeated headers by a comma, which no key or secret contains. */
function header(req: IncomingMessage, name: "x-api-key" | "x-api-secret"): string {
  return String(req.headers[name] ?? "");
}

/** A secret in the forms that requests are checked with. */
interface PreparedSecret {
  readonly key: HmacKey;
  readonly hash: Buffer;
}
