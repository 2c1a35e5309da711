import { decodePage, decodeVariable } from "../../client/decode.js";
import { interpret } from "../../client/interpret.js";
import { authHeaders } from "../../client/options.js";
import { targetOf } from "../../domain/routes.js";
import { missingSecretError } from "../settings/secret-files.js";
import type { ServerAccess } from "./check-settings.js";
import { type Finding, ok, problem, problemOf, skipped } from "./finding.js";
import type { Outcome, Probe } from "./probe.js";

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
const TARGET = targetOf({ kind: "variables", page: PAGE });

/** The reason why credentials are refused, and the fix. */
const WRONG = {
  headers: ["the server accepts a signature, but not headers: a proxy may drop x-api-secret", "use --auth hmac"],
  key: [
    "the API key is wrong: it does not belong to the secret, which the server knows",
    "correct the key (APPVARS_API_KEY, --api-key), or get both again from the server",
  ],
  secret: ["the API secret is wrong: it is rejected"],
  either: ["the API key or the secret is wrong"],
} as const;

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
  skew = 0,
): Promise<{ finding: Finding; asSent: Outcome }> {
  const attempt = (scheme: typeof auth, key: string | undefined, timestamp: number) =>
    probe(TARGET, authHeaders(scheme, { apiKey: key, apiSecret: secret }, { timestamp, method: "GET", route: TARGET }));
  const signed = async (key: string | undefined) => (await attempt("hmac", key, Math.round(clock() - skew))).status;
  const refused = (wrong: keyof typeof WRONG) => {
    const [message, fix = "get the key and the secret again from the server: they may have been rotated"] =
      WRONG[wrong];
    return { finding: problem("unauthorized", message, fix), asSent };
  };
  const asSent = await attempt(auth, apiKey, clock());
  if (asSent.status !== 401) return { finding: judge(asSent), asSent };
  const onServersTime = await signed(apiKey);
  if (onServersTime === 200 && auth === "headers") return refused("headers");
  if (onServersTime === 200)
    return { finding: ok("they are correct: signed with the server's time, they are accepted; see clock"), asSent };
  const withoutKey = apiKey === undefined ? onServersTime : await signed(undefined);
  if (withoutKey === 200) return refused("key");
  return refused(withoutKey === 401 ? "secret" : "either");
}

function judge(outcome: Outcome): Finding {
  try {
    if (outcome.error) throw outcome.error;
    const { total } = interpret(outcome, decodePage(decodeVariable, PAGE, "name")).metadata;
    return ok(`the server accepts them; the environment has ${total} variables`);
  } catch (error) {
    const found = problemOf(error, "see the server's log");
    return found.code === "rate_limited" ? skipped("the server accepts no requests now: see rate_limit") : found;
  }
}
