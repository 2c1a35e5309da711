import type { IncomingHttpHeaders } from "node:http";
import type { RateLimit } from "../../tui/ports.js";

/** What the `RateLimit-*` headers of an answer say; undefined unless all three are whole numbers. */
export function rateLimitOf(headers: IncomingHttpHeaders): RateLimit | undefined {
  const limit = wholeNumber(headers["ratelimit-limit"]);
  const remaining = wholeNumber(headers["ratelimit-remaining"]);
  const reset = wholeNumber(headers["ratelimit-reset"]);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, reset };
}

function wholeNumber(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
