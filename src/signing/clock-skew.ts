import { DEFAULT_TOLERANCE } from "./verify.js";

/**
 * Whether signatures with this machine's time are accepted by a server, unless it has other limits than the default.
 *
 * @param skew how far this machine's clock is ahead of the server's, in milliseconds
 */
export function compareClocks(skew: number): { seconds: number; limit: number; message: string } {
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const isAhead = skew > 0;
  const limit = isAhead ? DEFAULT_TOLERANCE.future : DEFAULT_TOLERANCE.past;
  const [offset, allowed] = isAhead ? ["ahead of", `${limit} s ahead`] : ["behind", `${limit} s old`];
  const message = `this machine's clock is ${seconds} s ${offset} the server's; signatures may be up to ${allowed}`;
  return { seconds, limit, message };
}
