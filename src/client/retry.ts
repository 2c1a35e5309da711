import { GATEWAY_STATUSES, RateLimitedError, ServerError, UnreachableError } from "../domain/errors.js";

const FIRST_BACKOFF_S = 0.2;
const LONGEST_BACKOFF_S = 5;
const PASSING_CODES = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"];

/** Tells of a pause before another try. */
export interface RetryNotice {
  /** Seconds until the next try. */
  wait: number;
  /** Why there is one. */
  reason: string;
}

/**
 * How long there may be pauses and tries after them. Calls may share one, also at the same time: it is a span of
 * time, which begins with the first failure.
 */
export interface WaitBudget {
  /** Seconds. */
  readonly span: number;
  /** On the clock; undefined before the first failure. */
  deadline: number | undefined;
}

export function createWaitBudget(seconds: number): WaitBudget {
  return { span: seconds, deadline: undefined };
}

export interface RetryOptions {
  budget: WaitBudget;
  /** Milliseconds, from any start. */
  clock: () => number;
  /** From 0 up to 1. */
  random: () => number;
  /** Resolves after so many seconds. */
  sleep: (seconds: number) => Promise<void>;
  onRetry: (notice: RetryNotice) => void;
  /** After which failures to try again. Default `any` that may pass. */
  retryOn?: RetryOn | undefined;
}

/** `rate-limit` is for who has something to fall back on when the server can't be reached, but not for its limit. */
export type RetryOn = "any" | "rate-limit";

/**
 * Calls `attempt` until it succeeds, or fails for good: on a 429 after as long as the server said, on a
 * failure that may pass (no connection, a reset, a timeout, 502 to 504) after an exponential backoff with
 * jitter. Gives up with the last error rather than wait for longer than the budget allows.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { budget, clock, random, sleep, onRetry, retryOn = "any" } = options;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = pauseAfter(error, retries, random());
      if (wait === undefined || (retryOn === "rate-limit" && !(error instanceof RateLimitedError))) throw error;
      budget.deadline ??= clock() + budget.span * 1_000;
      if (clock() + wait * 1_000 > budget.deadline) throw error;
      onRetry({ wait, reason: (error as Error).message });
      await sleep(wait);
    }
  }
}

/** Seconds to wait before another try; undefined when that would not help. */
function pauseAfter(error: unknown, retries: number, jitter: number): number | undefined {
  // The jitter keeps clients that were turned away together from coming back together.
  const backoff = Math.min(FIRST_BACKOFF_S * 2 ** retries, LONGEST_BACKOFF_S) * (0.5 + jitter / 2);
  if (error instanceof RateLimitedError) return Math.max(error.retryAfter, backoff);
  return mayPass(error) ? backoff : undefined;
}

function mayPass(error: unknown): boolean {
  if (error instanceof ServerError) return GATEWAY_STATUSES.includes(error.status);
  if (!(error instanceof UnreachableError)) return false;
  return PASSING_CODES.includes((error.cause as NodeJS.ErrnoException | undefined)?.code ?? "");
}
