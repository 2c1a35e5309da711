import { ServerError, UnreachableError } from "../domain/errors.js";

const MIB = 1024 * 1024;

/**
 * The limit for one command, in characters: V8's longest string, and so the largest data file of a server.
 * 1,000,000 variables with values of 200 characters take 265 MiB.
 */
const MAX_LENGTH = 512 * MIB;

/** A request with less time is not sent. */
export const MIN_REQUEST_S = 0.01;

/**
 * The time and memory that calls have used. Calls can share a budget, also concurrently: a hostile server can send a
 * list without end of which every page is valid.
 */
export interface Budget {
  /** The deadline, in milliseconds on a monotonic clock; undefined before the first request. */
  end: number | undefined;
  /** When the first failure occurred, on the same clock; `maxWait` starts there. */
  failedAt: number | undefined;
  /** Length of all answers so far. */
  length: number;
}

export function createBudget(): Budget {
  return { end: undefined, failedAt: undefined, length: 0 };
}

/**
 * Seconds left for the next request.
 *
 * @param total seconds for all requests, including pauses
 * @throws UnreachableError if there are none
 */
export function secondsLeft(budget: Budget, total: number, now: number): number {
  // Exactly `total` for the first request: with a fraction less, a timeout would be reported as an exhausted budget.
  const seconds = budget.end === undefined ? total : (budget.end - now) / 1_000;
  budget.end ??= now + total * 1_000;
  // Without a cause, so that it is not retried.
  if (seconds < MIN_REQUEST_S)
    throw new UnreachableError(`gave up after ${total} s: --max-wait and one --timeout allow no more`);
  return seconds;
}

/** Whether there is no time left for another request. */
export function hasEnded({ end = Number.POSITIVE_INFINITY }: Budget, now: number): boolean {
  return (end - now) / 1_000 < MIN_REQUEST_S;
}

/** @throws ServerError if the answers are too large in total */
export function countAnswer(budget: Budget, body: string): void {
  budget.length += body.length;
  if (budget.length <= MAX_LENGTH) return;
  throw new ServerError(`the server sends more than ${MAX_LENGTH / MIB} MiB for one command`, 200);
}
