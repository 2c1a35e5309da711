import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

export interface RateLimitOptions {
  /** Requests allowed in one window. */
  limit: number;
  /** Length of the window in seconds; it starts with a counter's first request. */
  window: number;
}

/** The outcome of counting one request. */
interface RateLimitResult {
  allowed: boolean;
  /** `RateLimit-*` and, over the limit, `Retry-After`. */
  headers: Record<string, string>;
}

/** Counts a request on the counter with this name. */
export type RateLimiter = (counter: string) => Promise<RateLimitResult>;

/** Counts in this process's memory. A limit of 0 allows everything and sends no headers. */
export function createRateLimiter({ limit, window }: RateLimitOptions): RateLimiter {
  if (limit === 0) return async () => ({ allowed: true, headers: {} });
  const counters = new RateLimiterMemory({ points: limit, duration: window });
  return async (counter) => {
    try {
      return allow(limit, await counters.consume(counter));
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      return refuse(limit, rejection);
    }
  };
}

function allow(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes): RateLimitResult {
  const headers = {
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": String(remainingPoints),
    "RateLimit-Reset": String(Math.ceil(msBeforeNext / 1_000)),
  };
  return { allowed: true, headers };
}

function refuse(limit: number, state: RateLimiterRes): RateLimitResult {
  const { headers } = allow(limit, state);
  // At least a second: "0" would invite the client to come back at once.
  const retryAfter = String(Math.max(1, Math.ceil(state.msBeforeNext / 1_000)));
  return { allowed: false, headers: { ...headers, "RateLimit-Remaining": "0", "Retry-After": retryAfter } };
}
