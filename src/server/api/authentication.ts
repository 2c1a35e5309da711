import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { KeyPair } from "../../model/environment.js";
import { MAX_KEYLESS_TARGET } from "../../model/routes.js";
import type { Service } from "../../service/service.js";
import type { Tolerance } from "../../signing/tolerance.js";
import {
  HmacKey,
  hashSecret,
  readSignature,
  type SignatureCheck,
  secretMatches,
} from "../../signing/verify.js";
import type { AddressOf } from "../limits/client-address.js";
import { createKeylessSearch, type SearchResult } from "../limits/keyless-search.js";
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

/**
 * The owner of the key that a request is sent with; none if its credentials are missing, malformed
 * or wrong.
 */
export type Identity = SearchResult;

export type Authenticate = (req: IncomingMessage) => Identity;

/**
 * Checked if a key is unknown, in the same steps, so that the time does not reveal which keys
 * exist.
 */
const NO_PAIR: KeyPair = { api_key: "", api_secret: randomBytes(32).toString("hex") };

/**
 * Authenticates requests. The work that requests without credentials cause is limited at any rate
 * limit.
 */
export function createAuthenticator(
  service: Service,
  limiter: RateLimiter,
  { addressOf, clock, ticks, tolerance }: AuthenticationOptions,
): Authenticate {
  const prepared = createSecretCache();
  const search = createKeylessSearch(ticks);

  return (req) => {
    const { url: target = "", headers } = req;
    const { authorization } = headers;
    if (authorization === undefined) return byKeyAndSecret(req);
    // Node drops all but the first.
    if (countHeader(req, "authorization") > 1) return {};
    const check = readSignature(
      { method: req.method ?? "", target, authorization },
      { now: clock(), tolerance },
    );
    if (check === undefined) return {};
    const hasKey = headers["x-api-key"] !== undefined;
    const isLong = target.length > MAX_KEYLESS_TARGET;
    if (hasKey && !isLong) return bySignature(req, check);
    return isLong && !hasKey ? {} : byCostlySignature(req, check, hasKey);
  };

  function byCostlySignature(
    req: IncomingMessage,
    check: SignatureCheck,
    hasKey: boolean,
  ): Identity {
    const address = addressOf(req);
    if (limiter.isUsedUp({ kind: "address", id: address })) return {};
    return hasKey ? bySignature(req, check) : byAnySignature(address, check);
  }

  function byKeyAndSecret(req: IncomingMessage): Identity {
    const { owner, pair } = claim(header(req, "x-api-key"));
    return secretMatches(header(req, "x-api-secret"), prepared(pair).hash) ? { owner } : {};
  }

  function bySignature(req: IncomingMessage, check: SignatureCheck): Identity {
    const { owner, pair } = claim(header(req, "x-api-key"));
    return check.madeWith(prepared(pair).key) ? { owner } : {};
  }

  /** The owner of a key, if that is valid now, and the pair to check. */
  function claim(apiKey: string) {
    const known = service.ownerOfKey(apiKey);
    const owner = known && clock() < known.validUntil ? known : undefined;
    return { owner, pair: owner?.pair ?? NO_PAIR };
  }

  function byAnySignature(address: string, { cost, madeWith }: SignatureCheck): Identity {
    const now = clock();
    const candidates = service.firstOwners.filter(({ validUntil }) => now < validUntil);
    return search(candidates, { address, cost, madeWith: (pair) => madeWith(prepared(pair).key) });
  }
}

/** A header that was sent twice is joined by a comma, which no key or secret contains. */
function header(req: IncomingMessage, name: "x-api-key" | "x-api-secret"): string {
  return String(req.headers[name] ?? "");
}

/** A prepared form of a secret, to check requests with. */
interface PreparedSecret {
  readonly key: HmacKey;
  readonly hash: Buffer;
}

/** Prepares each secret once. */
function createSecretCache(): (pair: KeyPair) => PreparedSecret {
  const secrets = new WeakMap<KeyPair, PreparedSecret>();
  return (pair) => {
    const known = secrets.get(pair);
    if (known) return known;
    const secret = { key: new HmacKey(pair.api_secret), hash: hashSecret(pair.api_secret) };
    secrets.set(pair, secret);
    return secret;
  };
}
