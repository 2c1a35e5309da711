import { type AuthScheme, authHeaders } from "../../client/auth-headers.js";
import { decodePage, decodeVariable } from "../../client/decode.js";
import { interpret } from "../../client/interpret.js";
import { AppvarsError } from "../../domain/errors.js";
import { ROUTES } from "../../domain/routes.js";
import { missingSecretError } from "../settings/secrets.js";
import { type Finding, ok, problem, skipped } from "./finding.js";
import type { Outcome, Probe } from "./probe.js";

/** The outcomes of the credentials as the client sends them and, if those are rejected, sent in other ways. */
export interface CredentialTrials {
  asSent: Outcome;
  /** Signed with the server's time instead of this machine's. */
  onServersTime?: Outcome;
  /** Signed with the server's time and without the key: the server then tries all its secrets. */
  withoutKey?: Outcome;
}

/** Definitions only: no value is read. */
const PAGE = { limit: 1, offset: 0 };
const TARGET = `${ROUTES.variables}?limit=${PAGE.limit}&offset=${PAGE.offset}`;

/**
 * Sends up to three requests to find out what is wrong with the credentials.
 *
 * @param clock Unix milliseconds
 * @param skew how far that clock is ahead of the server's, in milliseconds
 */
export async function tryCredentials(
  probe: Probe,
  { auth, apiKey, apiSecret }: { auth: AuthScheme; apiKey: string | undefined; apiSecret: string },
  clock: () => number,
  skew: number,
): Promise<CredentialTrials> {
  const attempt = (scheme: AuthScheme, key: string | undefined, timestamp: number) =>
    probe(TARGET, authHeaders(scheme, { apiKey: key, apiSecret }, { timestamp, method: "GET", route: TARGET }));
  const serversTime = () => Math.round(clock() - skew);
  const asSent = await attempt(auth, apiKey, clock());
  if (!isRefused(asSent)) return { asSent };
  const onServersTime = await attempt("hmac", apiKey, serversTime());
  if (!isRefused(onServersTime) || apiKey === undefined) return { asSent, onServersTime };
  return { asSent, onServersTime, withoutKey: await attempt("hmac", undefined, serversTime()) };
}

export function isRefused(outcome: Outcome | undefined): boolean {
  return statusOf(outcome) === 401;
}

function statusOf(outcome: Outcome | undefined): number | undefined {
  return outcome && "response" in outcome ? outcome.response.status : undefined;
}

export interface CredentialFacts {
  hasKey: boolean;
  hasSecret: boolean;
  /** Whether the secret itself is sent, which requires the key. */
  needsKey: boolean;
  /** The flags that open the data file in the current folder, if nothing is configured. */
  unusedDataFlags?: string | undefined;
  trials: CredentialTrials | undefined;
}

/** Whether the server accepts the credentials, and if not, which of them is wrong: its 401 does not say. */
export function checkCredentials({ hasKey, hasSecret, needsKey, unusedDataFlags, trials }: CredentialFacts): Finding {
  if (!hasSecret) {
    const fix = unusedDataFlags
      ? `to read the data file in this folder instead, add ${unusedDataFlags}`
      : "set it; on the server, appvars env credentials NAME prints it";
    return problem("unauthorized", missingSecretError().message, fix);
  }
  if (needsKey && !hasKey)
    return problem("unauthorized", "no API key, which --auth headers requires", "set APPVARS_API_KEY or add --api-key");
  if (!trials) return skipped("there is no appvars server to try them with: see reachability");
  return isRefused(trials.asSent) ? findWrongOne(trials, hasKey, needsKey) : judge(trials.asSent);
}

function judge(outcome: Outcome): Finding {
  try {
    if ("error" in outcome) throw outcome.error;
    const { total } = interpret(outcome.response, decodePage(decodeVariable, PAGE, "name")).metadata;
    return ok(`the server accepts them; the environment has ${total} variables`);
  } catch (error) {
    if (!(error instanceof AppvarsError)) throw error;
    if (error.code === "rate_limited") return skipped("the server accepts no requests now: see rate_limit");
    return problem(error.code, error.message, "see the server's log");
  }
}

function findWrongOne({ onServersTime, withoutKey }: CredentialTrials, hasKey: boolean, needsKey: boolean): Finding {
  const refused = (message: string, fix: string) => problem("unauthorized", message, fix);
  if (statusOf(onServersTime) === 200) {
    if (!needsKey) return ok("they are correct: signed with the server's time, they are accepted; see clock");
    const message = "the server accepts them as a signature, but not as headers: a proxy may drop x-api-secret";
    return refused(message, "use --auth hmac");
  }
  if (statusOf(withoutKey) === 200) {
    const fix = "correct the key (APPVARS_API_KEY, --api-key), or get both again from the server";
    return refused("the API key is wrong: it does not belong to the secret, which the server knows", fix);
  }
  const fix = "get the key and the secret again from the server: they may have been rotated";
  if (!hasKey) return refused("the API secret is wrong: it is rejected", fix);
  if (isRefused(withoutKey)) return refused("the API secret is wrong: it is rejected with and without the key", fix);
  return refused("the API key or the secret is wrong", fix);
}
