import { durationText } from "../../domain/duration-text.js";
import { GATEWAY_STATUSES } from "../../domain/errors.js";
import { type Finding, ok, problem, skipped } from "./finding.js";
import { healthOf, isAppvars } from "./health.js";
import { otherScheme } from "./other-scheme.js";
import { failureCode, type Outcome } from "./probe.js";
import type { RemoteFacts } from "./remote-facts.js";

type ReachabilityFacts = Pick<RemoteFacts, "health" | "speaksOtherScheme" | "certificate">;

const FIXES: Record<string, string> = {
  ECONNREFUSED: "start the server (appvars serve), or correct host and port of the URL",
  ENOTFOUND: "correct the host of the URL, or this machine's DNS",
  EAI_AGAIN: "connect this machine to the network: it can't look up names",
  ETIMEDOUT: "correct host and port of the URL, or open the firewall on the way",
};

/** Whether an appvars server that is well answers at the URL. */
export function checkReachability(url: string, facts: ReachabilityFacts): Finding {
  const { health, certificate } = facts;
  if (facts.speaksOtherScheme) return wrongScheme(url);
  if ("error" in health) {
    if (certificate?.refusal) return skipped("the server is there, but its certificate is refused: see tls");
    return problem(health.error.code, health.error.message, FIXES[failureCode(health) ?? ""] ?? "correct the URL");
  }
  const { receivedAt, sentAt, response } = health;
  const state = healthOf(health);
  if (state && response.status === 200) {
    return ok(`${url} answers in ${receivedAt - sentAt} ms, up ${durationText(state.uptime * 1_000)}`);
  }
  if (state) return problem("server_error", `${url} is not healthy: ${state.message}`, "mend that on the server");
  return isAppvars(health) ? ok(`${url} answers, with ${response.status}`) : strange(url, health);
}

function wrongScheme(url: string): Finding {
  const message = url.startsWith("https:") ? `${url} speaks HTTP without TLS` : `${url} speaks TLS, not plain HTTP`;
  return problem("unreachable", message, `use ${otherScheme(new URL(url)).origin}`);
}

function strange(url: string, health: Exclude<Outcome, { error: unknown }>): Finding {
  const { status, headers } = health.response;
  if (GATEWAY_STATUSES.includes(status)) {
    const message = `a proxy answers at ${url}, with ${status}: it can't reach the server behind it`;
    return problem("server_error", message, "start that server, or correct the proxy's settings");
  }
  if (status >= 300 && status < 400) {
    const message = `${url} redirects to ${headers.location ?? "nowhere"}, which is not followed`;
    return problem("server_error", message, "use the URL of the server itself");
  }
  return problem("server_error", `what answers at ${url}, with ${status}, is not appvars`, "correct the URL");
}
