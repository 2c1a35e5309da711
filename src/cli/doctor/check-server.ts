import { redirectTarget } from "../../client/interpret.js";
import { isLoopback } from "../../client/options.js";
import { findOtherScheme, Transport } from "../../client/transport.js";
import { GATEWAY_STATUSES } from "../../domain/errors.js";
import { parseRetryAfter, readRateLimit } from "../../domain/http-headers.js";
import { durationText } from "../../domain/printable.js";
import { ROUTES } from "../../domain/routes.js";
import { type CertificateFacts, readCertificate } from "../../http/certificate.js";
import { reasonOf } from "../../http/failures.js";
import { type HttpProxy, ProxyError } from "../../http/proxy.js";
import { compareClocks } from "../../signing/verify.js";
import type { Io } from "../output/io.js";
import { checkPresent, tryCredentials } from "./check-credentials.js";
import type { ServerAccess } from "./check-settings.js";
import { type Finding, ok, problem, problemOf, skipped, warning } from "./finding.js";
import { type Answered, createProbe, healthIn, isAppvars, type Outcome, skewOf } from "./probe.js";

/** Seconds for one request: a diagnosis should be quick. */
const MAX_TIMEOUT_S = 5;

/** Asks the server everything once. Problems become findings, not rejections. */
export async function checkServer(
  access: ServerAccess,
  { clock }: Pick<Io, "clock">,
): Promise<Record<string, Finding>> {
  const { url, auth, proxy, tls } = access;
  const origin = new URL(url);
  const server = { origin, timeout: Math.min(access.timeout, MAX_TIMEOUT_S), proxy, ...tls };
  const transport = new Transport(server);
  try {
    const probe = createProbe(transport, clock);
    const [health, certificate] = await Promise.all([
      probe(ROUTES.health),
      origin.protocol === "https:" ? readCertificate(server) : undefined,
    ]);
    // A proxy answers for both.
    const mayBeOther = !proxy && !certificate && !isAppvars(health);
    const other = mayBeOther ? await findOtherScheme(origin, server.timeout) : undefined;
    const skew = skewOf(health);
    const missing = checkPresent(access);
    // Credentials are sent only to a server that looks like appvars.
    const tried = !missing && isAppvars(health) ? await tryCredentials(probe, access, clock, skew) : undefined;
    const isAccepted = tried !== undefined && tried.asSent.status !== 401;
    const untried = skipped("there is no appvars server to try them with: see reachability");
    return {
      reachability: checkReachability(url, { health, other, certificate }, proxy),
      tls: checkTls(access, certificate, clock()),
      clock: checkClock(skew, auth === "headers" || isAccepted),
      credentials: missing ?? tried?.finding ?? untried,
      rate_limit: checkRateLimit(tried?.asSent ?? health),
    };
  } finally {
    await transport.close();
  }
}

interface Reached {
  health: Outcome;
  certificate: CertificateFacts | undefined;
  /** The URL with the scheme that the server speaks instead. */
  other: URL | undefined;
}

/** Whether a healthy appvars server answers at the URL. */
export function checkReachability(url: string, { health, certificate, other }: Reached, proxy?: HttpProxy): Finding {
  if (other) {
    const spoken = other.protocol === "https:" ? "TLS, not plain HTTP" : "HTTP without TLS";
    return problem("unreachable", `${url} speaks ${spoken}`, `use ${other.origin}`);
  }
  if (health.error) {
    if (certificate?.refusal) return skipped("the server answers, but its certificate is rejected: see tls");
    const isOfProxy = proxy && health.error instanceof ProxyError;
    const fix = isOfProxy
      ? `correct ${proxy.from}, or exclude the server with NO_PROXY`
      : "start the server (appvars serve), or correct the URL's host and port";
    return problemOf(health.error, fix);
  }
  const state = healthIn(health);
  if (!state) return isAppvars(health) ? ok(`${url} answers with ${health.status}`) : describeOther(url, health);
  const seeLog = "see the server's log";
  if (health.status !== 200) return problem("server_error", `${url} is not healthy: ${state.message}`, seeLog);
  const { uptime, data_age: age } = state;
  if (age !== undefined && state.message !== "OK") return warning(`${url} answers, but ${state.message}`, seeLog);
  const ofData = age === undefined ? "" : `, its data ${durationText(age * 1_000)} old`;
  return ok(`${url} answers in ${Math.round(health.milliseconds)} ms, up ${durationText(uptime * 1_000)}${ofData}`);
}

function describeOther(url: string, { status, headers }: Answered): Finding {
  const refused = (message: string, fix: string) => problem("server_error", message, fix);
  if (GATEWAY_STATUSES.includes(status))
    return refused(
      `a proxy answers at ${url} with ${status}: it can't reach the server behind it`,
      "start that server",
    );
  if (status < 300 || status >= 400)
    return refused(`not an appvars server at ${url}: it answers with ${status}`, "correct the URL");
  const message = `${url} redirects to ${redirectTarget(headers.location)}; redirects are not followed`;
  return refused(message, "use the URL of the server itself");
}

const EXPIRES_SOON_MS = 14 * 86_400_000;

/** By the code of the refusal. */
const TLS_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "renew the certificate and those of its authorities on the server",
  CERT_NOT_YET_VALID: "set this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: "use the host name of the certificate, or get a certificate for this one",
};

/** Whether the server's certificate is trusted, and for how long it is valid. @param now Unix milliseconds */
export function checkTls(
  { url, auth }: Pick<ServerAccess, "url" | "auth">,
  certificate: CertificateFacts | undefined,
  now: number,
): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:") {
    if (isLoopback(hostname)) return skipped("not needed: the server is on this machine");
    const exposed = auth === "headers" ? "the API secret and all values" : "all values";
    return warning(`without TLS, ${exposed} can be read in transit`, "serve it with TLS, and use https:");
  }
  if (!certificate) return skipped("no TLS connection was established: see reachability");
  const { validFrom, validTo, refusal } = certificate;
  const refused = (message: string, fix: string) => problem("unreachable", message, fix);
  const last = day(validTo);
  if (validTo <= now) return refused(`the certificate expired on ${last}`, "renew it on the server");
  if (validFrom > now)
    return refused(`the certificate is not valid before ${day(validFrom)}`, "set this machine's clock");
  if (refusal) {
    const fix = TLS_FIXES[refusal] ?? "pass the certificate of its authority with --ca-file (APPVARS_CA_FILE)";
    return refused(reasonOf({ code: refusal, message: refusal }), fix);
  }
  const left = durationText(validTo - now);
  if (validTo - now >= EXPIRES_SOON_MS) return ok(`the certificate is trusted, and valid for ${left}, until ${last}`);
  return warning(`the certificate expires in ${left}, on ${last}`, "renew it on the server");
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Whether the server accepts signatures made with this machine's time (docs/http-api.md, "Signatures").
 *
 * @param skew how far this machine's clock is ahead of the server's, in milliseconds; undefined if not known
 * @param harmless whether signatures are accepted nevertheless, or not used
 */
export function checkClock(skew: number | undefined, harmless: boolean): Finding {
  if (skew === undefined) return skipped("the server's time is not known");
  const { seconds, limit, message } = compareClocks(skew);
  if (seconds <= limit / 2) return ok(`this machine's clock is within ${Math.max(1, seconds)} s of the server's`);
  const fix = "synchronize the wrong clock with a time server; on this machine: timedatectl set-ntp true";
  return seconds <= limit || harmless ? warning(message, fix) : problem("unauthorized", message, fix);
}

/** The rest of the rate limit (docs/http-api.md). @param outcome of the latest request with these credentials */
export function checkRateLimit(outcome: Outcome): Finding {
  if (outcome.error) return skipped("the server has not answered: see reachability");
  const { limit, remaining, reset } = readRateLimit(outcome.headers);
  const fix = "send fewer requests, or raise the limit on the server with serve --rate-limit";
  if (outcome.status === 429) {
    const wait = parseRetryAfter(outcome.headers) ?? reset;
    const when = wait === undefined ? "it does not say when it accepts more" : `it accepts more in ${wait} s`;
    return problem("rate_limited", `the server's rate limit is used up; ${when}`, `wait; then ${fix}`);
  }
  if (limit === undefined || remaining === undefined) return skipped("the server does not report a rate limit");
  const message = `${remaining} of ${limit} requests are left for the next ${reset ?? "?"} s`;
  return remaining <= limit / 10 ? warning(message, fix) : ok(message);
}
