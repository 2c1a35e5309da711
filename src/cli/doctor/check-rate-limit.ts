import type { IncomingHttpHeaders } from "node:http";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";
import type { Outcome } from "./probe.js";

/**
 * What is left of the rate limit (spec.md, part 1).
 *
 * @param outcome of the newest request that counts for these credentials
 */
export function checkRateLimit(outcome: Outcome): Finding {
  if ("error" in outcome) return skipped("the server has not answered: see reachability");
  const { status, headers } = outcome.response;
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => count(headers, `ratelimit-${name}`));
  const fix = "ask less often, or raise it on the server with serve --rate-limit";
  if (status === 429) {
    const wait = count(headers, "retry-after") ?? reset;
    const when = wait === undefined ? "the server does not say when it takes more" : `it takes more in ${wait} s`;
    return problem("rate_limited", `the rate limit is used up; ${when}`, `wait for that; then ${fix}`);
  }
  if (limit === undefined || remaining === undefined) return skipped("the server tells of no rate limit");
  const message = `${remaining} of ${limit} requests are left for the next ${reset ?? "?"} s`;
  return remaining <= limit / 10 ? warning(message, fix) : ok(message);
}

function count(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = String(headers[name] ?? "");
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
