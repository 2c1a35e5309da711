import { decoderOf, interpret } from "../../client/decode.js";
import { type AuthScheme, authHeaders } from "../../client/options.js";
import type { HttpResponse, TimedResponse, Transport } from "../../client/transport.js";
import type { ServerRoute } from "../../kit/net/proxy.js";
import { AppvarsError, RefusedCredentialsError, UnauthorizedError } from "../../kit/text/errors.js";
import { targetOf } from "../../model/routes.js";
import type { RemoteSettings } from "../settings/remote-settings.js";
import type { GivenSettings } from "../settings/setting-table.js";
import { type Finding, ok, problem, problemOf } from "./finding.js";

/** A server, and everything that requests to it need. */
export interface ServerAccess extends RemoteSettings {
  given: GivenSettings;
  /** `undefined` if there is no secret, or it can't be read. */
  secret: string | undefined;
  server: ServerRoute;
}

/** The answer to one request and its content, or the error of other commands. */
export type Outcome<T> =
  | { content: T; answer: TimedResponse; error?: undefined }
  | { content?: undefined; answer?: undefined; error: AppvarsError };

/** Sends one request, without retries. */
export async function ask<T>(
  transport: Pick<Transport, "get">,
  target: string,
  interpreting: (response: HttpResponse) => T,
  headers: Record<string, string> = {},
): Promise<Outcome<T>> {
  try {
    const answer = await transport.get(target, headers);
    return { content: interpreting(answer), answer };
  } catch (error) {
    if (error instanceof AppvarsError) return { error };
    throw error;
  }
}

/** Definitions only: no value is read. */
const READ = { kind: "variables", page: { limit: 1, offset: 0 } } as const;
const TARGET = targetOf(READ);

/**
 * Whether the server accepts the credentials, and if not, which of them is wrong: its 401 does not
 * say. So they are sent as a signature with the server's time, and then without the key, for which
 * the server tries all its secrets.
 *
 * @param clock Unix milliseconds
 * @param skew how far that clock is ahead of the server's, in milliseconds
 * @returns the outcome of the first of up to three requests too
 */
export async function tryCredentials(
  transport: Pick<Transport, "get">,
  { auth, apiKey, secret }: Pick<ServerAccess, "auth" | "apiKey" | "secret">,
  clock: () => number,
  skew: number,
): Promise<{ finding: Finding; asSent: Outcome<number> }> {
  const attempt = (scheme: AuthScheme, key: string | undefined, ahead: number) => {
    const request = { timestamp: Math.round(clock() - ahead), method: "GET", route: TARGET };
    const total = (response: HttpResponse) => interpret(response, decoderOf(READ)).metadata.total;
    const headers = authHeaders(scheme, { apiKey: key, apiSecret: secret }, request);
    return ask(transport, TARGET, total, headers);
  };
  const asSent = await attempt(auth, apiKey, 0);
  if (!asSent.error) {
    const accepted = `the server accepts them; the environment has ${asSent.content} variables`;
    return { finding: ok(accepted), asSent };
  }
  if (!(asSent.error instanceof UnauthorizedError))
    return { finding: problemOf(asSent.error), asSent };
  const signed = await attempt("hmac", apiKey, skew);
  if (!signed.error) return { finding: acceptedSigned(auth), asSent };
  const { error } = apiKey === undefined ? signed : await attempt("hmac", undefined, skew);
  return { finding: problem("unauthorized", mistakeOf(error)), asSent };
}

function acceptedSigned(auth: AuthScheme): Finding {
  return auth === "headers"
    ? problem(
        "unauthorized",
        "the server accepts a signature, but not headers: a proxy may drop x-api-secret",
        "use --auth hmac",
      )
    : ok("they are correct: signed with the server's time, they are accepted; see clock");
}

/** @param error of the attempt without the key */
function mistakeOf(error: AppvarsError | undefined): string {
  if (!error)
    return "the API key is wrong: it does not belong to the secret, which the server knows";
  return error instanceof UnauthorizedError
    ? "the API secret is wrong: it is rejected"
    : new RefusedCredentialsError().message;
}
