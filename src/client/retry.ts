import { isLoopback } from "../kit/net/endpoint.js";
import { ServerError, UnreachableError } from "../kit/text/errors.js";
import { DEFAULT_MAX_WAIT, DEFAULT_OUTAGE_WAIT, DEFAULT_REFUSED_WAIT } from "../model/defaults.js";
import { RateLimitedError } from "../model/errors.js";

const FIRST_BACKOFF_S = 0.2;
const MAX_BACKOFF_S = 5;
/** A request is not sent with less time left. */
const MIN_REQUEST_S = 0.01;
const NEVER = Number.POSITIVE_INFINITY;
const TRANSIENT_CODES = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"];
const MIB = 1024 * 1024;

/**
 * Statuses after which another attempt may succeed. 408: the request came too
 * slowly. The others come from a proxy whose server is down.
 */
export const TRANSIENT_STATUSES: readonly number[] = [408, 502, 503, 504];

/**
 * The maximum length of all answers to one command, in characters: the length
 * of V8's longest string, and so of a server's largest data file.
 */
const MAX_LENGTH = 512 * MIB;

/**
 * The time and memory that calls have used, which concurrent calls can share. A
 * hostile server can send an endless list of valid pages.
 */
export interface Budget {
  /**
   * The deadline, in milliseconds on a monotonic clock; `undefined` before the
   * first request.
   */
  deadline: number | undefined;
  /** The time of the first failure, on the same clock, when `maxWait` starts. */
  failedAt: number | undefined;
  /** The length of all answers so far, in characters. */
  length: number;
}

export function createBudget(): Budget {
  return { deadline: undefined, failedAt: undefined, length: 0 };
}

/** @throws ServerError if the answers are too large in total */
export function addToBudget(budget: Budget, body: string): void {
  budget.length += body.length;
  if (budget.length <= MAX_LENGTH) return;
  throw new ServerError(`the server sends more than ${MAX_LENGTH / MIB} MiB for one command`, 200);
}

export interface RetryNotice {
  /** Seconds until the next attempt. */
  wait: number;
  reason: string;
}

export interface RetryOptions {
  budget: Budget;
  /**
   * Seconds for all requests that share the budget, including pauses. Default:
   * no limit.
   */
  total?: number;
  /**
   * Maximum seconds for retries, including after 429, and for data that changes
   * while it is read; 0 for no retries. Default 60, but 15 for a server that
   * can't be reached, and 3 while this machine refuses the connection.
   */
  maxWait?: number | undefined;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  random: () => number;
  sleep: (seconds: number) => Promise<void>;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
  /**
   * The failures after which to retry: any transient failure, or only a 429.
   * Default `any`.
   */
  retryOn?: RetryOn | undefined;
}

/**
 * `rate-limit` is for callers with a fallback for a server that can't be
 * reached.
 */
export type RetryOn = "any" | "rate-limit";

/**
 * Calls `attempt` until it succeeds or fails permanently. After a 429, waits
 * for the time that the server asks for; after a transient failure (no
 * connection, reset, timeout, 408, 502 to 504), with exponential backoff and
 * jitter. Four clocks limit the time:
 *
 * | Clock     | Starts with                   | Seconds                | Limits              |
 * |-----------|-------------------------------|------------------------|---------------------|
 * | `timeout` | each attempt                  | 10 by default          | the attempt         |
 * | `maxWait` | the first failure of a budget | 60 by default          | pauses              |
 * | outage    | the first failed attempt      | 15 or 3, see `maxWait` | pauses and attempts |
 * | `total`   | the first attempt of a budget | no limit by default    | pauses and attempts |
 *
 * `Transport` implements the first one. The third one replaces the default of
 * `maxWait`.
 *
 * @param attempt gets the seconds that it may take
 * @throws the last error when a clock allows no further attempt;
 *   UnreachableError for `total`
 */
export async function withRetries<T>(
  attempt: (seconds: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { budget, ticks, total = NEVER, maxWait } = options;
  /**
   * The start of the current series of failed attempts, and the deadline of the
   * last attempt.
   */
  let [failingSince, end] = [NEVER, NEVER];
  for (let retries = 0; ; retries++) {
    const startedAt = ticks();
    const left = secondsLeft(budget, total, startedAt);
    try {
      const beforeEnd = Math.max((end - startedAt) / 1_000, MIN_REQUEST_S);
      return await attempt(Math.min(left, beforeEnd));
    } catch (error) {
      // The budget may have ended the attempt.
      if (left < total) secondsLeft(budget, total, ticks());
      const wait = pauseAfter(error, retries, options);
      if (wait === undefined) throw error;
      failingSince = error instanceof RateLimitedError ? NEVER : Math.min(failingSince, startedAt);
      if (maxWait === undefined) end = failingSince + outageLimit(error) * 1_000;
      const reason = (error as Error).message;
      if (!(await pause({ wait, reason }, options, end))) throw error;
    }
  }
}

/**
 * Returns the seconds left for the next request.
 *
 * @throws UnreachableError if there are none
 */
function secondsLeft(budget: Budget, total: number, now: number): number {
  // Exactly `total` for the first request: with slightly less, a timeout would
  // be reported as an exhausted budget.
  const seconds = budget.deadline === undefined ? total : (budget.deadline - now) / 1_000;
  budget.deadline ??= now + total * 1_000;
  if (seconds >= MIN_REQUEST_S) return seconds;
  throw new UnreachableError(
    `gave up after ${total} s: --max-wait and one --timeout allow no more`,
    { isFinal: true },
  );
}

/**
 * Waits before the next attempt, if `maxWait`, the budget and `end` allow it.
 *
 * @param end the latest end of the pause, in milliseconds on the monotonic
 *   clock
 * @returns whether it has waited
 */
export async function pause(
  notice: RetryNotice,
  options: RetryOptions,
  end = NEVER,
): Promise<boolean> {
  const { budget, maxWait = DEFAULT_MAX_WAIT, ticks, sleep, onRetry } = options;
  budget.failedAt ??= ticks();
  const latest = Math.min(budget.failedAt + maxWait * 1_000, budget.deadline ?? NEVER, end);
  if (ticks() + notice.wait * 1_000 > latest) return false;
  onRetry?.(notice);
  await sleep(notice.wait);
  return true;
}

/**
 * Returns the seconds to wait before the next attempt; `undefined` if there
 * must be none.
 */
function pauseAfter(
  error: unknown,
  retries: number,
  { random, retryOn = "any" }: RetryOptions,
): number | undefined {
  const wait = backoff([FIRST_BACKOFF_S, MAX_BACKOFF_S], retries, random);
  if (error instanceof RateLimitedError) return Math.max(error.retryAfter, wait);
  return retryOn === "any" && isTransient(error) ? wait : undefined;
}

/** Returns a pause with jitter: clients that fail together retry apart. */
export function backoff([first, max]: [number, number], retries: number, random: () => number) {
  return Math.min(first * 2 ** retries, max) * (0.5 + random() / 2);
}

function isTransient(error: unknown): boolean {
  // The status of a server's or a proxy's answer.
  const { status, cause } = error as { status?: number; cause?: NodeJS.ErrnoException };
  if (status !== undefined) return TRANSIENT_STATUSES.includes(status);
  return (
    error instanceof UnreachableError &&
    !error.isFinal &&
    TRANSIENT_CODES.includes(cause?.code ?? "")
  );
}

/**
 * Returns the seconds after which the client gives up on a server that can't be
 * reached.
 */
function outageLimit(error: unknown): number {
  const { cause } = error as {
    cause?: NodeJS.ErrnoException & { address?: string; errors?: unknown[] };
  };
  // A name such as localhost has several addresses.
  const refusals = (cause?.errors ?? [cause]) as (typeof cause)[];
  const isHere = refusals.every(
    (each) => each?.code === "ECONNREFUSED" && isLoopback(each.address ?? ""),
  );
  return isHere ? DEFAULT_REFUSED_WAIT : DEFAULT_OUTAGE_WAIT;
}
