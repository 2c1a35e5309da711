import { isLoopback } from "../kit/net/endpoint.js";
import { UsageError } from "../kit/text/errors.js";
import { DEFAULT_URL, MAX_SECONDS } from "./defaults.js";
import { CREDENTIAL_PATTERN, CREDENTIAL_RULE } from "./environment.js";

/**
 * `hmac` signs each request. `headers` sends the secret itself, so it needs TLS
 * or a trusted network.
 */
export const AUTH_SCHEMES = ["hmac", "headers"] as const;

export type AuthScheme = (typeof AUTH_SCHEMES)[number];

export function parseAuth(text: string, subject: string): AuthScheme {
  const scheme = text as AuthScheme;
  if (AUTH_SCHEMES.includes(scheme)) return scheme;
  throw new UsageError(`${subject} must be one of ${AUTH_SCHEMES.join(", ")}`);
}

/**
 * Checks a credential. An empty one counts as missing.
 *
 * @throws UsageError, which does not quote it, if it can't be in a data file
 */
export function checkCredential(what: string, credential: string | undefined): void {
  if (!credential || CREDENTIAL_PATTERN.test(credential)) return;
  throw new UsageError(`the ${what} must be ${CREDENTIAL_RULE}`);
}

export function checkSeconds(what: string, seconds: number, min: number): void {
  if (seconds >= min && seconds <= MAX_SECONDS) return;
  throw new UsageError(`${what} must be a number of seconds, ${min} to ${MAX_SECONDS}`);
}

/**
 * Parses the URL of a server. It must be an origin: a signature covers the path
 * that the server sees, without a proxy's prefix.
 *
 * @param from the setting that has the URL, for the error
 * @throws UsageError
 */
export function parseOrigin(url: string | URL, from?: string): URL {
  const subject = from === undefined ? "the server's URL" : `${from}: the server's URL`;
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  if (!parsed || !isHttp) throw new UsageError(`${subject} must look like ${DEFAULT_URL}`);
  // First, since the next message quotes the URL.
  if (parsed.username || parsed.password)
    throw new UsageError(`${subject} must not contain a user or a password`);
  if (parsed.pathname !== "/" || parsed.search || parsed.hash)
    throw new UsageError(`${subject} must have no path, query or fragment: use ${parsed.origin}`);
  return parsed;
}

/**
 * @param proxied whether requests leave this machine even if the server is on
 *   it
 * @throws UsageError if the secret itself would be sent to another machine
 *   without encryption
 */
export function refusePlainSecret(
  auth: AuthScheme,
  { protocol, hostname }: URL,
  insecure: boolean,
  proxied = false,
): void {
  if (auth !== "headers" || protocol === "https:" || insecure || (isLoopback(hostname) && !proxied))
    return;
  throw new UsageError(
    `auth headers would send the API secret to ${hostname} without encryption: use https or auth hmac, ` +
      "or add --insecure if nobody else can read that network",
  );
}
