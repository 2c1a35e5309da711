// Apart from the handlers: the types of the package must not refer to those of polka.

/**
 * Faults that a server simulates, to test clients. Requests that Node's HTTP parser refuses are not
 * affected.
 */
export interface Faults {
  /** Delay of each answer in milliseconds: random between these two, which may be equal. */
  latency?: { least: number; most: number };
  /**
   * Share of the requests that is answered 503, from 0 to 1. Requests over the rate limit are
   * answered 429.
   */
  failRate?: number;
  /** Seconds that the server's clock is ahead; negative if it is behind. */
  clockSkew?: number;
  /** From 0 up to 1. Default `Math.random`. */
  random?: () => number;
  /** Resolves after this many milliseconds. Default a timer. */
  sleep?: (milliseconds: number) => Promise<void>;
}

/** The clock of a server with these faults. */
export function skewClock(clock: () => number, { clockSkew }: Faults = {}): () => number {
  return clockSkew ? () => clock() + clockSkew * 1_000 : clock;
}
