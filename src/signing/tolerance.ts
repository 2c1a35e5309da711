/** How far a timestamp may differ from the verifier's clock, in seconds. */
export interface Tolerance {
  /** Default 300. */
  past: number;
  /** Default 60. */
  future: number;
}

export const DEFAULT_TOLERANCE: Tolerance = { past: 300, future: 60 };

/**
 * How a server with the default tolerance sees this machine's clock.
 *
 * @param skew how far it is ahead, in milliseconds
 */
export function compareClocks(skew: number) {
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const { past, future } = DEFAULT_TOLERANCE;
  const [limit, offset, allowed] =
    skew > 0 ? [future, "ahead of", "ahead"] : [past, "behind", "old"];
  const message = `this machine's clock is ${seconds} s ${offset} the server's; signatures may be up to ${limit} s ${allowed}`;
  return { seconds, limit, message };
}
