import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type EnvironmentRecord, type KeyPair, validKeyPairs } from "../domain/environment.js";
import type { Service } from "../service/service.js";
import { equalSecrets } from "../signing/equal-secrets.js";
import { type Tolerance, verify } from "../signing/verify.js";

export interface AuthenticationOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  tolerance: Tolerance;
  /** How many environments' secrets a signature without `x-api-key` is checked against. */
  keylessLimit: number;
}

/** The environment that a request proves to belong to; undefined for missing, malformed or wrong credentials. */
export type Authenticate = (req: IncomingMessage, target: string) => EnvironmentRecord | undefined;

// Checked in place of the secret of an unknown key, so that the time does not tell which keys exist.
const NO_SECRET = randomBytes(32).toString("hex");
const NO_KEY = createSecretKey(NO_SECRET, "utf8");

export function createAuthenticator(service: Service, options: AuthenticationOptions): Authenticate {
  const signingKey = createKeyCache();

  return (req, target) => {
    const [authorization, ...others] = req.headersDistinct["authorization"] ?? [];
    if (others.length > 0) return undefined;
    if (authorization === undefined) return byKeyAndSecret(req);
    const now = options.clock();
    const received = { method: req.method ?? "", target, authorization };
    const signedBy = (key: KeyObject) => verify(received, key, { now, tolerance: options.tolerance });
    if ("x-api-key" in req.headers) return bySignature(header(req, "x-api-key"), signedBy);
    return byAnySignature(signedBy, now);
  };

  function byKeyAndSecret(req: IncomingMessage): EnvironmentRecord | undefined {
    const claimed = claim(header(req, "x-api-key"));
    const matches = equalSecrets(header(req, "x-api-secret"), claimed?.pair.api_secret ?? NO_SECRET);
    return matches ? claimed?.environment : undefined;
  }

  function bySignature(apiKey: string, signedBy: (key: KeyObject) => boolean): EnvironmentRecord | undefined {
    const claimed = claim(apiKey);
    const matches = signedBy(claimed ? signingKey(claimed.pair) : NO_KEY);
    return matches ? claimed?.environment : undefined;
  }

  /** The environment that a key stands for now, and the pair that it is a part of. */
  function claim(apiKey: string): { environment: EnvironmentRecord; pair: KeyPair } | undefined {
    const environment = service.index.ownerOfKey(apiKey);
    const pair = environment && validKeyPairs(environment, options.clock()).find((item) => item.api_key === apiKey);
    return environment && pair && { environment, pair };
  }

  function byAnySignature(signedBy: (key: KeyObject) => boolean, now: number): EnvironmentRecord | undefined {
    const candidates = service.environments.slice(0, options.keylessLimit);
    const matches = candidates.filter((environment) => {
      // All are tried, so that the time does not tell which one it was.
      return validKeyPairs(environment, now).filter((pair) => signedBy(signingKey(pair))).length > 0;
    });
    // Two environments with one secret: the signature does not say which of them is meant.
    return matches.length === 1 ? matches[0] : undefined;
  }
}

/** A header sent twice arrives joined by a comma, which no key or secret contains. */
function header(req: IncomingMessage, name: "x-api-key" | "x-api-secret"): string {
  return String(req.headers[name] ?? "");
}

/** Key objects are made once for each record: an HMAC with one is a quarter cheaper than with a string. */
function createKeyCache(): (pair: KeyPair) => KeyObject {
  const keys = new WeakMap<KeyPair, KeyObject>();
  return (pair) => {
    const key = keys.get(pair) ?? createSecretKey(pair.api_secret, "utf8");
    keys.set(pair, key);
    return key;
  };
}
