import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { EnvironmentRecord } from "../domain/environment.js";
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
    const received = { method: req.method ?? "", target, authorization };
    const signedBy = (key: KeyObject) => verify(received, key, { now: options.clock(), tolerance: options.tolerance });
    return "x-api-key" in req.headers ? bySignature(header(req, "x-api-key"), signedBy) : byAnySignature(signedBy);
  };

  function byKeyAndSecret(req: IncomingMessage): EnvironmentRecord | undefined {
    const environment = service.index.environmentByKey(header(req, "x-api-key"));
    const matches = equalSecrets(header(req, "x-api-secret"), environment?.api_secret ?? NO_SECRET);
    return matches ? environment : undefined;
  }

  function bySignature(apiKey: string, signedBy: (key: KeyObject) => boolean): EnvironmentRecord | undefined {
    const environment = service.index.environmentByKey(apiKey);
    const matches = signedBy(environment === undefined ? NO_KEY : signingKey(environment));
    return matches ? environment : undefined;
  }

  function byAnySignature(signedBy: (key: KeyObject) => boolean): EnvironmentRecord | undefined {
    const candidates = service.environments.slice(0, options.keylessLimit);
    const [match, ...others] = candidates.filter((environment) => signedBy(signingKey(environment)));
    // Two environments with one secret: the signature does not say which of them is meant.
    return others.length === 0 ? match : undefined;
  }
}

/** A header sent twice arrives joined by a comma, which no key or secret contains. */
function header(req: IncomingMessage, name: "x-api-key" | "x-api-secret"): string {
  return String(req.headers[name] ?? "");
}

/** Key objects are made once for each record: an HMAC with one is a quarter cheaper than with a string. */
function createKeyCache(): (environment: EnvironmentRecord) => KeyObject {
  const keys = new WeakMap<EnvironmentRecord, KeyObject>();
  return (environment) => {
    const key = keys.get(environment) ?? createSecretKey(environment.api_secret, "utf8");
    keys.set(environment, key);
    return key;
  };
}
