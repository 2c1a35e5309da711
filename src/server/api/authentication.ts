import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { KeyPair } from "../../model/environment.js";
import { MAX_KEYLESS_TARGET } from "../../model/reads/routes.js";
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
import {
  createKeylessSearch,
  type Identity,
  type KeylessSearch,
} from "../limits/keyless-search.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import { countHeader } from "./arrival.js";

export interface AuthenticationParts {
  service: Service;
  limiter: RateLimiter;
  addressOf: AddressOf;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  tolerance: Tolerance;
}

/** Checked for an unknown key: the time must not reveal which keys exist. */
const NO_PAIR: KeyPair = { api_key: "", api_secret: randomBytes(32).toString("hex") };

interface PreparedSecret {
  readonly key: HmacKey;
  readonly hash: Buffer;
}

/**
 * Authenticates requests. Requests without valid credentials cause limited
 * work.
 */
export class Authenticator {
  readonly #parts: AuthenticationParts;
  readonly #search: KeylessSearch;
  readonly #secrets = new WeakMap<KeyPair, PreparedSecret>();

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
    this.#search = createKeylessSearch(parts.ticks);
  }

  identify(req: IncomingMessage): Identity {
    const { method = "", url: target = "", headers } = req;
    const { authorization } = headers;
    if (authorization === undefined) {
      const { grant, secret } = this.#claim(req);
      return secretMatches(header(req, "x-api-secret"), secret.hash) ? { grant } : {};
    }
    // Node drops all but the first.
    if (countHeader(req, "authorization") > 1) return {};
    const { clock, tolerance } = this.#parts;
    const check = readSignature({ method, target, authorization }, { now: clock(), tolerance });
    return check === undefined ? {} : this.#identifySigner(req, target, check);
  }

  #identifySigner(req: IncomingMessage, target: string, check: SignatureCheck): Identity {
    const hasKey = req.headers["x-api-key"] !== undefined;
    const isLong = target.length > MAX_KEYLESS_TARGET;
    if (isLong && !hasKey) return {};
    // Other requests cost little.
    if (isLong || !hasKey) {
      const id = this.#parts.addressOf(req);
      if (this.#parts.limiter.isUsedUp({ kind: "address", id })) return {};
      if (!hasKey) return this.#findSigner(id, check);
    }
    const { grant, secret } = this.#claim(req);
    return check.isSignedWith(secret.key) ? { grant } : {};
  }

  #findSigner(address: string, { cost, isSignedWith }: SignatureCheck): Identity {
    const { clock, service } = this.#parts;
    const now = clock();
    const candidates = service.keylessGrants.filter(({ validUntil }) => now < validUntil);
    return this.#search(candidates, {
      address,
      cost,
      isSignedWith: (pair) => isSignedWith(this.#prepared(pair).key),
    });
  }

  /**
   * Finds the grant of a request's key, if it is valid now, and the secret to
   * check.
   */
  #claim(req: IncomingMessage) {
    const { clock, service } = this.#parts;
    const claimed = service.grantOfKey(header(req, "x-api-key"));
    const grant = claimed && clock() < claimed.validUntil ? claimed : undefined;
    return { grant, secret: this.#prepared(grant?.pair ?? NO_PAIR) };
  }

  #prepared(pair: KeyPair): PreparedSecret {
    const kept = this.#secrets.get(pair);
    if (kept) return kept;
    const secret = { key: new HmacKey(pair.api_secret), hash: hashSecret(pair.api_secret) };
    this.#secrets.set(pair, secret);
    return secret;
  }
}

/** Node joins repeated headers by a comma, which no key or secret contains. */
function header(req: IncomingMessage, name: "x-api-key" | "x-api-secret"): string {
  return String(req.headers[name] ?? "");
}
