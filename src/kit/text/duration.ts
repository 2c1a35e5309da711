/** A date in UTC, with or without a time of day. */
const UTC_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z)?$/;

/**
 * Parses `2026-01-31T12:00:00.000Z`, or `2026-01-31` for midnight UTC, to Unix
 * milliseconds. Returns NaN for any other text, and for a day that does not
 * exist: `Date.parse` reads 31 February as 3 March.
 */
export function parseUtcMs(text: string): number {
  const time = new Date(UTC_TIME.test(text) ? text : Number.NaN);
  return time.toJSON()?.startsWith(text.slice(0, 10)) ? time.getTime() : Number.NaN;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION_EXAMPLES = "90s, 30m, 24h or 7d";

/** Parses `90`, `0.5`, `90s` or `12h` to seconds; any other text to NaN. */
export function parseSecondsText(text: string): number {
  const [, seconds] = /^(\d+(?:\.\d+)?)s?$/.exec(text) ?? [];
  return seconds === undefined ? (parseDurationMs(text) ?? Number.NaN) / 1_000 : Number(seconds);
}

/**
 * Parses `90s`, `30m`, `24h` or `7d` to milliseconds. Returns `undefined` for 0
 * and for any other text.
 */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit as keyof typeof UNITS] ?? 0) || undefined;
}

/** Describes a duration: `45 s`, `12 min`, `30 h` or `9 d`, rounded down. */
export function formatDuration(milliseconds: number): string {
  const unit = (["d", "h", "m"] as const).find((unit) => milliseconds >= 2 * UNITS[unit]) ?? "s";
  return `${Math.floor(milliseconds / UNITS[unit])} ${unit === "m" ? "min" : unit}`;
}
