import { redirectTarget } from "../../client/interpret.js";
import { otherScheme } from "../../domain/endpoint.js";
import { GATEWAY_STATUSES } from "../../domain/errors.js";
import { parseDataAge, parseRateLimit, parseRetryAfter } from "../../domain/http-headers.js";
import { durationText } from "../../domain/printable.js";
import { ROUTES } from "../../domain/routes.js";
import type { TlsTexts } from "../../domain/tls-options.js";
import { type CertificateFacts, readCertificate } from "../../http/certificate.js";
import { type HttpProxy, ProxyError } from "../../http/proxy.js";
import { compareClocks } from "../../signing/verify.js";
import { lookup } from "../processes/end-process.js";
import type { RemoteSettings } from "../settings/connection.js";
import { type CredentialTrials, tryCredentials } from "./credentials.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";
import {
  type Answer,
  type Clocks,
  failureCode,
  healthOf,
  isAppvars,
  type Outcome,
  skewOf,
  withProbe,
} from "./probe.js";

/** Seconds for one request: a diagnosis should be quick. */
const MAX_TIMEOUT_S = 5;

/** After these failures there is no point in trying the other scheme. */
const NOT_LISTENING = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];

export interface RemoteFacts {
  health: Outcome;
  /** Whether it speaks TLS although the URL says http, or the other way round. */
  speaksOtherScheme: boolean;
  /** Undefined if no TLS connection was established. */
  certificate: CertificateFacts | undefined;
  /** How far this machine's clock is ahead of the server's, in milliseconds. */
  skew: number | undefined;
  /** Undefined if there are no credentials, or no server to try them with. */
  trials: CredentialTrials | undefined;
}

/** Asks the server everything once. Problems become facts, not rejections. */
export function gatherRemoteFacts(
  settings: RemoteSettings,
  { apiSecret, tls, proxy }: { apiSecret: string | undefined; tls: TlsTexts; proxy: HttpProxy | undefined },
  clocks: Clocks,
): Promise<RemoteFacts> {
  const timeout = Math.min(settings.timeout, MAX_TIMEOUT_S);
  const origin = new URL(settings.url);
  return withProbe({ origin, timeout, proxy, ...tls }, clocks, async (probe) => {
    const [health, certificate] = await Promise.all([
      probe(ROUTES.health),
      origin.protocol === "https:" ? readCertificate({ origin, timeout, proxy, lookup, ...tls }) : undefined,
    ]);
    // A proxy answers for both.
    const mayBeOther = !proxy && !isAppvars(health) && !NOT_LISTENING.includes(failureCode(health) ?? "");
    const speaksOtherScheme = mayBeOther && !certificate && (await speaksOther(origin, timeout, clocks));
    const skew = skewOf(health);
    const { auth, apiKey } = settings;
    // Credentials are sent only to what looks like appvars.
    const canTry = apiSecret && isAppvars(health) && (auth === "hmac" || apiKey);
    const trials = canTry
      ? await tryCredentials(probe, { auth, apiKey, apiSecret }, clocks.clock, skew ?? 0)
      : undefined;
    return { health, speaksOtherScheme, certificate, skew, trials };
  });
}

async function speaksOther(origin: URL, timeout: number, clocks: Clocks): Promise<boolean> {
  const other = otherScheme(origin);
  if (other.protocol === "https:") return (await readCertificate({ origin: other, timeout, lookup })) !== undefined;
  const outcome = await withProbe({ origin: other, timeout }, clocks, (probe) => probe(ROUTES.health));
  return "response" in outcome;
}

const REACHABILITY_FIXES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "start the server (appvars serve), or correct the URL's host and port",
  ENOTFOUND: "correct the URL's host, or this machine's DNS",
  EAI_AGAIN: "connect this machine to the network: it can't look up names",
  ETIMEDOUT: "correct the URL's host and port, or open the firewall in between",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    "pass a certificate from its authority with --client-cert and --client-key",
};

/** Whether a healthy appvars server answers at the URL. */
export function checkReachability(
  url: string,
  { health, certificate, speaksOtherScheme }: Pick<RemoteFacts, "health" | "speaksOtherScheme" | "certificate">,
  proxy?: HttpProxy,
): Finding {
  if (speaksOtherScheme) {
    const message = url.startsWith("https:") ? `${url} speaks HTTP without TLS` : `${url} speaks TLS, not plain HTTP`;
    return problem("unreachable", message, `use ${otherScheme(new URL(url)).origin}`);
  }
  if ("error" in health) {
    if (certificate?.refusal) return skipped("the server answers, but its certificate is rejected: see tls");
    if (proxy && health.error instanceof ProxyError) {
      const fix = `correct ${proxy.from}, or exclude the server with NO_PROXY`;
      return problem(health.error.code, health.error.message, fix);
    }
    const fix = REACHABILITY_FIXES[failureCode(health) ?? ""] ?? "correct the URL";
    return problem(health.error.code, health.error.message, fix);
  }
  const { milliseconds, response } = health;
  const state = healthOf(health);
  if (state && response.status === 200) {
    const age = parseDataAge(response.headers);
    const isStale = age !== undefined && state.message !== "OK";
    if (isStale) return warning(`${url} answers, but ${state.message}`, "see the server's log");
    const ofData = age === undefined ? "" : `, its data ${durationText(age * 1_000)} old`;
    return ok(`${url} answers in ${Math.round(milliseconds)} ms, up ${durationText(state.uptime * 1_000)}${ofData}`);
  }
  if (state) return problem("server_error", `${url} is not healthy: ${state.message}`, "see the server's log");
  return isAppvars(health) ? ok(`${url} answers with ${response.status}`) : describeOther(url, health);
}

/** For an answer that is not from appvars. */
function describeOther(url: string, { response: { status, headers } }: Answer): Finding {
  if (GATEWAY_STATUSES.includes(status)) {
    const message = `a proxy answers at ${url} with ${status}: it can't reach the server behind it`;
    return problem("server_error", message, "start that server, or correct the proxy's settings");
  }
  if (status >= 300 && status < 400) {
    const message = `${url} redirects to ${redirectTarget(headers.location)}; redirects are not followed`;
    return problem("server_error", message, "use the URL of the server itself");
  }
  return problem("server_error", `the server at ${url} is not appvars: it answers with ${status}`, "correct the URL");
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

/** What is left of the rate limit (docs/http-api.md, "Rate limit"). @param outcome of the latest request with these credentials */
export function checkRateLimit(outcome: Outcome): Finding {
  if ("error" in outcome) return skipped("the server has not answered: see reachability");
  const { status, headers } = outcome.response;
  const { limit, remaining, reset } = parseRateLimit(headers);
  const fix = "send fewer requests, or raise the limit on the server with serve --rate-limit";
  if (status === 429) {
    const wait = parseRetryAfter(headers) ?? reset;
    const when = wait === undefined ? "it does not say when it accepts more" : `it accepts more in ${wait} s`;
    return problem("rate_limited", `the server's rate limit is used up; ${when}`, `wait; then ${fix}`);
  }
  if (limit === undefined || remaining === undefined) return skipped("the server does not report a rate limit");
  const message = `${remaining} of ${limit} requests are left for the next ${reset ?? "?"} s`;
  return remaining <= limit / 10 ? warning(message, fix) : ok(message);
}
