import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type EnvironmentRecord, type KeyPair, validKeyPairs } from "../domain/environment.js";
import type { Service } from "../service/service.js";
import { equalSecrets, readSignature, type SignatureCheck, type Tolerance } from "../signing/verify.js";
import { createKeylessSearch, type SearchResult } from "./keyless-search.js";
import { clientAddress, type RateLimiter } from "./rate-limiter.js";

export interface AuthenticationOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  tolerance: Tolerance;
  /** Number of environments whose secrets a signature without `x-api-key` is checked against. */
  keylessLimit: number;
}

/** The environment that a request belongs to; none if its credentials are missing, malformed or wrong. */
export type Identity = SearchResult;

export type Authenticate = (req: IncomingMessage, target: string) => Promise<Identity>;

/**
 * A longer target needs a key, and an address with requests left: eight HMACs over 8 KiB cost as much as six answers.
 * Long enough for any name, percent-encoded, and a page.
 */
const MAX_CHEAP_TARGET_BYTES = 1_024;

// Checked if a key is unknown, so that the time does not reveal which keys exist.
const NO_SECRET = randomBytes(32).toString("hex");
const NO_KEY = createSecretKey(NO_SECRET, "utf8");

/** Authenticates requests. The work that requests without credentials cause is limited, whatever the rate limit. */
export function createAuthenticator(
  service: Service,
  limiter: RateLimiter,
  { clock, ticks, tolerance, keylessLimit }: AuthenticationOptions,
): Authenticate {
  const signingKey = createKeyCache();
  const search = createKeylessSearch(ticks);

  return async (req, target) => {
    const [authorization, ...others] = req.headersDistinct["authorization"] ?? [];
    if (others.length > 0) return {};
    if (authorization === undefined) return { environment: byKeyAndSecret(req) };
    const check = readSignature({ method: req.method ?? "", target, authorization }, { now: clock(), tolerance });
    if (check === undefined) return {};
    const hasKey = "x-api-key" in req.headers;
    const isLong = target.length > MAX_CHEAP_TARGET_BYTES;
    if (isLong && !hasKey) return {};
    const byKey = () => ({ environment: bySignature(header(req, "x-api-key"), check) });
    if (hasKey && !isLong) return byKey();
    const address = clientAddress(req.socket.remoteAddress);
    if (await limiter.isUsedUp({ kind: "address", id: address })) return {};
    return hasKey ? byKey() : byAnySignature(address, check);
  };

  function byKeyAndSecret(req: IncomingMessage): EnvironmentRecord | undefined {
    const claimed = claim(header(req, "x-api-key"));
    const matches = equalSecrets(header(req, "x-api-secret"), claimed?.pair.api_secret ?? NO_SECRET);
    return matches ? claimed?.environment : undefined;
  }

  function bySignature(apiKey: string, check: SignatureCheck): EnvironmentRecord | undefined {
    const claimed = claim(apiKey);
    const matches = check.madeWith(claimed ? signingKey(claimed.pair) : NO_KEY);
    return matches ? claimed?.environment : undefined;
  }

  /** The environment that a key belongs to, and its pair, if that is valid now. */
  function claim(apiKey: string): { environment: EnvironmentRecord; pair: KeyPair } | undefined {
    const environment = service.index.ownerOfKey(apiKey);
    const pair = environment && validKeyPairs(environment, clock()).find((item) => item.api_key === apiKey);
    return environment && pair && { environment, pair };
  }

  function byAnySignature(address: string, { cost, madeWith }: SignatureCheck): Identity {
    const now = clock();
    const candidates = service.environments
      .slice(0, keylessLimit)
      .flatMap((environment) => validKeyPairs(environment, now).map((pair) => ({ environment, pair })));
    return search(candidates, { address, cost, madeWith: (pair) => madeWith(signingKey(pair)) });
  }
}

/** A header that was sent twice is joined by a comma, which no key or secret contains. */
function header(req: IncomingMessage, name: "x-api-key" | "x-api-secret"): string {
  return String(req.headers[name] ?? "");
}

/** Creates each key object once: an HMAC with one is 25 % cheaper than with a string. */
function createKeyCache(): (pair: KeyPair) => KeyObject {
  const keys = new WeakMap<KeyPair, KeyObject>();
  return (pair) => {
    const key = keys.get(pair) ?? createSecretKey(pair.api_secret, "utf8");
    keys.set(pair, key);
    return key;
  };
}
