const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Describes the form of a length of time in messages. */
export const DURATION_EXAMPLES = "90s, 30m, 24h or 7d";

/** The milliseconds of `90s`, `30m`, `24h` or `7d`, which are more than none; undefined for another text. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit] ?? 0) || undefined;
}
