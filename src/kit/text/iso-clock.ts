/**
 * Creates a clock that tells the time as ISO 8601. Formatting takes 0.5 µs, so all lines of a
 * millisecond share the text.
 *
 * @param clock Unix time in milliseconds
 */
export function isoClock(clock: () => number): () => string {
  let [last, text] = [Number.NaN, ""];
  return () => {
    const now = clock();
    if (now !== last) [last, text] = [now, new Date(now).toISOString()];
    return text;
  };
}
