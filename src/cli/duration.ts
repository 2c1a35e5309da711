import { InvalidArgumentError } from "commander";

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `24h` or `7d` in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("It must be a time such as 90s, 30m, 24h or 7d.");
}
