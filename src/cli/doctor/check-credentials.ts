import { decodePage, decodeVariable } from "../../client/decode.js";
import { interpret } from "../../client/interpret.js";
import { authHeaders } from "../../client/options.js";
import { ROUTES } from "../../domain/routes.js";
import { missingSecretError } from "../settings/secret-files.js";
import type { ServerAccess } from "./check-settings.js";
import { type Finding, ok, problem, problemOf, skipped } from "./finding.js";
import { type Outcome, type Probe, statusOf } from "./probe.js";

/** The finding about credentials without a request; undefined if they can be tried. */
export function checkPresent({ auth, apiKey, apiSecret, secret, unusedDataFlags }: ServerAccess): Finding | undefined {
  if (apiSecret && secret === undefined) return skipped("the secret can't be read: see settings");
  if (secret === undefined) {
    const fix = unusedDataFlags
      ? `to read the data file in this folder instead, add ${unusedDataFlags}`
      : "set it; on the server, appvars env credentials NAME prints it";
    return problem("unauthorized", missingSecretError().message, fix);
  }
  if (auth === "hmac" || apiKey !== undefined) return undefined;
  return problem("unauthorized", "no API key, which --auth headers requires", "set APPVARS_API_KEY or add --api-key");
}

/** Definitions only: no value is read. */
const PAGE = { limit: 1, offset: 0 };
const TARGET = `${ROUTES.variables}?limit=${PAGE.limit}&offset=${PAGE.offset}`;

/**
 * Whether the server accepts the credentials, and if not, which of them is wrong: its 401 does not say. So they are sent
 * as a signature with the server's time, and then without the key, for which the server tries all its secrets.
 *
 * @param clock Unix milliseconds
 * @param skew how far that clock is ahead of the server's, in milliseconds
 * @returns the outcome of the first of up to three requests too
 */
export async function tryCredentials(
  probe: Probe,
  { auth, apiKey, secret }: Pick<ServerAccess, "auth" | "apiKey" | "secret">,
  clock: () => number,
  skew: number,
): Promise<{ finding: Finding; asSent: Outcome }> {
  const attempt = (scheme: typeof auth, key: string | undefined, timestamp: number) =>
    probe(TARGET, authHeaders(scheme, { apiKey: key, apiSecret: secret }, { timestamp, method: "GET", route: TARGET }));
  const signed = (key: string | undefined) => attempt("hmac", key, Math.round(clock() - skew));
  const refused = (message: string, fix: string) => ({ finding: problem("unauthorized", message, fix), asSent });
  const asSent = await attempt(auth, apiKey, clock());
  if (statusOf(asSent) !== 401) return { finding: judge(asSent), asSent };
  const onServersTime = await signed(apiKey);
  if (statusOf(onServersTime) === 200) {
    if (auth === "hmac")
      return { finding: ok("they are correct: signed with the server's time, they are accepted; see clock"), asSent };
    const message = "the server accepts a signature, but not headers: a proxy may drop x-api-secret";
    return refused(message, "use --auth hmac");
  }
  const withoutKey = apiKey === undefined ? onServersTime : await signed(undefined);
  if (statusOf(withoutKey) === 200) {
    const fix = "correct the key (APPVARS_API_KEY, --api-key), or get both again from the server";
    return refused("the API key is wrong: it does not belong to the secret, which the server knows", fix);
  }
  const wrong =
    statusOf(withoutKey) === 401 ? "the API secret is wrong: it is rejected" : "the API key or the secret is wrong";
  return refused(wrong, "get the key and the secret again from the server: they may have been rotated");
}

function judge(outcome: Outcome): Finding {
  try {
    if ("error" in outcome) throw outcome.error;
    const { total } = interpret(outcome.response, decodePage(decodeVariable, PAGE, "name")).metadata;
    return ok(`the server accepts them; the environment has ${total} variables`);
  } catch (error) {
    const found = problemOf(error, "see the server's log");
    return found.code === "rate_limited" ? skipped("the server accepts no requests now: see rate_limit") : found;
  }
}
