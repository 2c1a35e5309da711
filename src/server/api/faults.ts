import type { ServerResponse } from "node:http";
import type { Reply } from "../wire/replies.js";
import { SIMULATED_FAILURE } from "./error-replies.js";

/**
 * Faults that a server simulates for requests that Node's parser accepts, to
 * test clients.
 */
export interface Faults {
  /**
   * Delay of each answer in milliseconds: random between these two, which may
   * be equal.
   */
  latency?: { least: number; most: number };
  /**
   * Share of the requests within the rate limit that is answered 503, from 0 to
   * 1.
   */
  failRate?: number;
  /** Seconds that the server's clock is ahead; negative if it is behind. */
  clockSkew?: number;
}

export function skewClock(clock: () => number, { clockSkew }: Faults = {}): () => number {
  return clockSkew ? () => clock() + clockSkew * 1_000 : clock;
}

/**
 * Delays a request and sets the `Date` of its answer. Returns `undefined`
 * without a delay.
 *
 * @param clock the server's, already skewed
 */
export function simulateArrival(
  { latency, clockSkew }: Faults,
  res: ServerResponse,
  clock: () => number,
): Promise<void> | undefined {
  // Node's own header has the true time.
  if (clockSkew) res.setHeader("Date", new Date(clock()).toUTCString());
  if (!latency) return undefined;
  const milliseconds = latency.least + Math.random() * (latency.most - latency.least);
  // The connection keeps the process alive. Once it is closed, nobody waits for
  // the answer.
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Returns the simulated failure of a counted request, if it fails. */
export function simulateFailure({ failRate = 0 }: Faults): Reply | undefined {
  return Math.random() < failRate ? SIMULATED_FAILURE : undefined;
}
