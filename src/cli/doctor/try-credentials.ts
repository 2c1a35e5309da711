import { type AuthScheme, authHeaders } from "../../client/auth-headers.js";
import { ROUTES } from "../../domain/routes.js";
import type { Outcome, Probe } from "./probe.js";

/** What came of the credentials: as the client sends them and, where those were refused, in other ways. */
export interface CredentialTrials {
  asSent: Outcome;
  /** Signed at the server's time instead of this machine's. */
  onServersTime?: Outcome;
  /** Signed at the server's time, and without the key: the server then tries all secrets that it has. */
  withoutKey?: Outcome;
}

export interface TrialOptions {
  auth: AuthScheme;
  apiKey: string | undefined;
  apiSecret: string;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** How far that clock is ahead of the server's, in milliseconds. */
  skew: number;
}

/** Definitions only: no value is asked for. */
const TARGET = `${ROUTES.variables}?limit=1&offset=0`;

/** Tries the credentials until it is known what is wrong with them: up to three requests. */
export async function tryCredentials(probe: Probe, options: TrialOptions): Promise<CredentialTrials> {
  const { auth, apiKey, apiSecret, clock, skew } = options;
  const attempt = (scheme: AuthScheme, key: string | undefined, timestamp: number) =>
    probe(TARGET, authHeaders(scheme, { apiKey: key, apiSecret }, { timestamp, method: "GET", route: TARGET }));
  const serversTime = () => Math.round(clock() - skew);
  const asSent = await attempt(auth, apiKey, clock());
  if (!isRefused(asSent)) return { asSent };
  const onServersTime = await attempt("hmac", apiKey, serversTime());
  if (!isRefused(onServersTime) || apiKey === undefined) return { asSent, onServersTime };
  return { asSent, onServersTime, withoutKey: await attempt("hmac", undefined, serversTime()) };
}

export function isRefused(outcome: Outcome): boolean {
  return "response" in outcome && outcome.response.status === 401;
}
