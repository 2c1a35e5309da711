import { GATEWAY_STATUSES, RateLimitedError, ServerError, UnreachableError } from "../domain/errors.js";
import type { Budget } from "./budget.js";
import { proxyStatusCode } from "./proxy.js";

const FIRST_BACKOFF_S = 0.2;
const MAX_BACKOFF_S = 5;
const TRANSIENT_CODES = [
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"],
  ...GATEWAY_STATUSES.map(proxyStatusCode),
];

export interface RetryNotice {
  /** Seconds until the next try. */
  wait: number;
  reason: string;
}

export interface RetryOptions {
  budget: Budget;
  /** Seconds for pauses and tries after the first failure. */
  maxWait: number;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  /** From 0 up to 1. */
  random: () => number;
  sleep: (seconds: number) => Promise<void>;
  onRetry: (notice: RetryNotice) => void;
  /** Default `any`. */
  retryOn?: RetryOn | undefined;
}

/** The failures to retry after. `rate-limit` is for callers with a fallback for a server that can't be reached. */
export type RetryOn = "any" | "rate-limit";

/**
 * Calls `attempt` until it succeeds or fails permanently. Waits after a 429 for as long as the server said, and after
 * a transient failure (no connection, reset, timeout, 502 to 504) with exponential backoff and jitter. Throws the last
 * error when `maxWait` or the budget does not allow another pause.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { random, retryOn = "any" } = options;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = pauseAfter(error, retries, random());
      if (wait === undefined || (retryOn === "rate-limit" && !(error instanceof RateLimitedError))) throw error;
      if (!(await pause({ wait, reason: (error as Error).message }, options))) throw error;
    }
  }
}

/** Waits before another try. Resolves to false immediately if `maxWait` or the budget does not allow that. */
export async function pause(notice: RetryNotice, options: RetryOptions): Promise<boolean> {
  const { budget, maxWait, ticks, sleep, onRetry } = options;
  budget.failedAt ??= ticks();
  const latest = Math.min(budget.failedAt + maxWait * 1_000, budget.end ?? Number.POSITIVE_INFINITY);
  if (ticks() + notice.wait * 1_000 > latest) return false;
  onRetry(notice);
  await sleep(notice.wait);
  return true;
}

/** Seconds to wait before another try; undefined for a permanent failure. */
function pauseAfter(error: unknown, retries: number, jitter: number): number | undefined {
  // With jitter, clients that failed at the same time don't retry at the same time.
  const backoff = Math.min(FIRST_BACKOFF_S * 2 ** retries, MAX_BACKOFF_S) * (0.5 + jitter / 2);
  if (error instanceof RateLimitedError) return Math.max(error.retryAfter, backoff);
  return isTransient(error) ? backoff : undefined;
}

function isTransient(error: unknown): boolean {
  if (error instanceof ServerError) return GATEWAY_STATUSES.includes(error.status);
  if (!(error instanceof UnreachableError)) return false;
  return TRANSIENT_CODES.includes((error.cause as NodeJS.ErrnoException | undefined)?.code ?? "");
}
