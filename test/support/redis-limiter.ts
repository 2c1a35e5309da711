import { onTestFinished } from "vitest";
import type { StoreProblem } from "../../src/server/circuit-breaker.js";
import { createRateLimiter } from "../../src/server/rate-limiter.js";
import { parseRedisUrl } from "../../src/server/redis-address.js";
import { createRedisLimiter } from "../../src/server/redis-store.js";

/** Seconds. */
export const WINDOW = 600;
export const KEY = { kind: "key", id: "shop-test" } as const;

/** A limiter that counts in a Redis, and its problems so far. Closed when the current test ends. */
export async function redisLimiter(url: string, limit: number) {
  const problems: (StoreProblem | undefined)[] = [];
  const ticks = () => performance.now();
  const fallback = createRateLimiter({ limit, window: WINDOW }, ticks);
  const options = {
    limit,
    window: WINDOW,
    fallback,
    onChange: (problem?: StoreProblem) => void problems.push(problem),
  };
  const limiter = await createRedisLimiter(parseRedisUrl(url, "the URL"), options, ticks);
  onTestFinished(() => limiter.close());
  const remaining = async () => (await limiter.count(KEY)).rateLimit?.remaining;
  return { limiter, problems, remaining };
}
