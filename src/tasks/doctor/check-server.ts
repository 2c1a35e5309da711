import { interpret, interpretHealth } from "../../client/decode.js";
import { type HttpResponse, Transport } from "../../client/transport.js";
import { isLoopback } from "../../kit/net/endpoint.js";
import { reasonOf } from "../../kit/net/failures.js";
import { ProxyError, type ServerRoute } from "../../kit/net/proxy.js";
import { formatDuration } from "../../kit/text/duration.js";
import { AppvarsError, UnauthorizedError } from "../../kit/text/errors.js";
import { RefusedCredentialsError } from "../../model/errors.js";
import { parseRateLimitHeaders } from "../../model/reads/http-headers.js";
import { ROUTES, targetOf } from "../../model/reads/routes.js";
import type { AuthScheme } from "../../model/server-options.js";
import { authHeaders, describeSkew } from "../../signing/sign.js";
import type { ServerSettings } from "../settings/server-settings.js";
import type { SettingList } from "../settings/setting-table.js";
import { missingKeyError, noSecretError } from "../sources/open-source.js";
import type { Surroundings } from "../surroundings.js";
import { type CertificateFacts, readCertificate } from "./certificate.js";
import {
  FIXES,
  type Finding,
  type Findings,
  notChecked,
  ok,
  problem,
  problemOf,
  skipped,
  warning,
} from "./finding.js";

const EXPIRES_SOON_MS = 14 * 86_400_000;

export interface CheckedServer extends ServerSettings {
  given: SettingList;
  /** `undefined` if there is no secret, or it can't be read. */
  secret: string | undefined;
  server: ServerRoute;
}

/** An answer and its content, or why there is none. */
export type Outcome<T> =
  | { content: T; answer: HttpResponse; error?: undefined }
  | { content?: undefined; answer?: undefined; error: AppvarsError };

export async function checkServer(
  access: CheckedServer,
  { clock }: Surroundings,
): Promise<Findings> {
  const { auth, server } = access;
  const transport = new Transport(server);
  try {
    const reading = server.origin.protocol === "https:" ? readCertificate(server) : undefined;
    const health = await ask(transport, ROUTES.health, interpretHealth);
    // On average, the server reads its clock halfway through the request.
    const skew =
      health.content &&
      clock() - health.answer.milliseconds / 2 - Date.parse(health.content.health.date);
    const certificate = await reading;
    const missing = findMissing(access);
    // Credentials are sent only to an appvars server.
    const { finding, asSent } =
      missing || skew === undefined
        ? { finding: missing ?? notChecked("reachability") }
        : await tryCredentials(transport, access, clock, skew);
    const isAccepted = asSent !== undefined && !(asSent.error instanceof UnauthorizedError);
    const isUntrusted = health.error && certificate?.refusal;
    return {
      reachability: isUntrusted ? notChecked("tls") : checkReachability(access, health),
      tls: checkTls(access, certificate, clock()),
      clock: checkClock(skew, auth === "headers" || isAccepted),
      credentials: finding,
      rate_limit: asSent?.answer ? checkRateLimit(asSent.answer) : notChecked("credentials"),
    };
  } finally {
    await transport.close();
  }
}

function findMissing(access: CheckedServer): Finding | undefined {
  const { auth, apiKey, apiSecret, secret, given } = access;
  if (apiSecret && secret === undefined) return notChecked("settings");
  if (secret === undefined) return problemOf(noSecretError(given));
  return auth === "headers" && apiKey === undefined ? problemOf(missingKeyError()) : undefined;
}

export function checkReachability(
  { url, server: { proxy } }: Pick<CheckedServer, "url" | "server">,
  { content, answer, error }: Outcome<ReturnType<typeof interpretHealth>>,
): Finding {
  const fix = `correct ${proxy?.from}, or exclude the server with NO_PROXY`;
  if (error) return problemOf(error, error instanceof ProxyError ? fix : undefined);
  const { uptime, message, data_age: age } = content.health;
  const seeLog = "see the server's log";
  if (!content.healthy) return problem("server_error", `${url} is not healthy: ${message}`, seeLog);
  if (age !== undefined && message !== "OK")
    return warning(`${url} answers, but ${message}`, seeLog);
  const ofData = age === undefined ? "" : `, its data ${formatDuration(age * 1_000)} old`;
  return ok(
    `${url} answers in ${Math.round(answer.milliseconds)} ms, up ${formatDuration(uptime * 1_000)}${ofData}`,
  );
}

const TLS_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "renew the certificate and those of its authorities on the server",
  CERT_NOT_YET_VALID: "set this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "use the host name of the certificate, or get a certificate for this one",
};

/** @param now Unix milliseconds */
export function checkTls(
  { url, auth }: Pick<CheckedServer, "url" | "auth">,
  certificate: CertificateFacts | undefined,
  now: number,
): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:") {
    if (isLoopback(hostname)) return skipped("not needed: the server is on this machine");
    const exposed = auth === "headers" ? "the API secret and all values" : "all values";
    const message = `without TLS, ${exposed} can be read in transit`;
    return warning(message, "serve it with TLS, and use https:");
  }
  if (!certificate) return notChecked("reachability");
  const last = new Date(certificate.validTo).toISOString().slice(0, 10);
  const code = certificate.validTo <= now ? "CERT_HAS_EXPIRED" : certificate.refusal;
  if (code) {
    const reason = reasonOf({ code, message: code });
    const fix =
      TLS_FIXES[code] ?? "pass the certificate of its authority with --ca-file (APPVARS_CA_FILE)";
    return problem("unreachable", `${reason} (valid until ${last})`, fix);
  }
  const left = certificate.validTo - now;
  const message = `the certificate is trusted, and valid for ${formatDuration(left)}, until ${last}`;
  return left < EXPIRES_SOON_MS ? warning(message, "renew it on the server") : ok(message);
}

/**
 * Judges whether the server accepts the time of signatures (docs/http-api.md,
 * "Signatures").
 *
 * @param skew the milliseconds that this machine's clock is ahead
 * @param isHarmless whether signatures are still accepted, or not used
 */
export function checkClock(skew: number | undefined, isHarmless: boolean): Finding {
  if (skew === undefined) return notChecked("reachability");
  const { seconds, limit, message } = describeSkew(skew);
  if (seconds <= limit / 2)
    return ok(`this machine's clock is within ${Math.max(1, seconds)} s of the server's`);
  const fix =
    "synchronize the wrong clock with a time server; on this machine: timedatectl set-ntp true";
  if (seconds <= limit || isHarmless) return warning(message, fix);
  return problem("unauthorized", message, fix);
}

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

/**
 * Tries the credentials. A 401 does not say which of them is wrong, so sends
 * them again as a signature with the server's time, and then without the key,
 * for which the server tries all its secrets.
 *
 * @returns the outcome of the first request too
 */
export async function tryCredentials(
  transport: Pick<Transport, "get">,
  { auth, apiKey, secret }: Pick<CheckedServer, "auth" | "apiKey" | "secret">,
  clock: () => number,
  skew: number,
): Promise<{ finding: Finding; asSent: Outcome<number> }> {
  const attempt = (scheme: AuthScheme, key: string | undefined, ahead: number) => {
    const route = targetOf(READ);
    const request = { timestamp: Math.round(clock() - ahead), method: "GET", route };
    const total = (response: HttpResponse) => interpret(response, READ).metadata.total;
    const headers = authHeaders(scheme, { apiKey: key, apiSecret: secret }, request);
    return ask(transport, route, total, headers);
  };
  const asSent = await attempt(auth, apiKey, 0);
  if (!asSent.error) {
    const accepted = `the server accepts them; the environment has ${asSent.content} variables`;
    return { finding: ok(accepted), asSent };
  }
  if (!(asSent.error instanceof UnauthorizedError))
    return { finding: problemOf(asSent.error), asSent };
  const { error } = await attempt("hmac", apiKey, skew);
  if (!error) return { finding: acceptedSigned(auth), asSent };
  const withoutKey = apiKey === undefined ? error : (await attempt("hmac", undefined, skew)).error;
  return { finding: problem("unauthorized", mistakeOf(withoutKey)), asSent };
}

function acceptedSigned(auth: AuthScheme): Finding {
  if (auth === "hmac")
    return ok("they are correct: signed with the server's time, they are accepted; see clock");
  const message = "the server accepts a signature, but not headers: a proxy may drop x-api-secret";
  return problem("unauthorized", message, "use --auth hmac");
}

/** @param withoutKey the error for the secret alone */
function mistakeOf(withoutKey: AppvarsError | undefined): string {
  if (!withoutKey)
    return "the API key is wrong: it does not belong to the secret, which the server knows";
  if (withoutKey instanceof UnauthorizedError) return "the API secret is wrong: it is rejected";
  return new RefusedCredentialsError().message;
}

export function checkRateLimit({ headers }: Pick<HttpResponse, "headers">): Finding {
  const { limit, remaining, reset } = parseRateLimitHeaders(headers);
  if (limit === undefined || remaining === undefined)
    return skipped("the server does not report a rate limit");
  const message = `${remaining} of ${limit} requests are left for the next ${reset ?? "?"} s`;
  return remaining <= limit / 10 ? warning(message, FIXES.rate_limited) : ok(message);
}
