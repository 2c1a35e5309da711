const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time for people, `45 s`, `12 min`, `30 h` or `9 d`, rounded down. */
export function durationText(milliseconds: number): string {
  const text = (unit: number, name: string) => `${Math.floor(milliseconds / unit)} ${name}`;
  if (milliseconds < 2 * MINUTE_MS) return text(1_000, "s");
  if (milliseconds < 2 * HOUR_MS) return text(MINUTE_MS, "min");
  return milliseconds < 2 * DAY_MS ? text(HOUR_MS, "h") : text(DAY_MS, "d");
}
