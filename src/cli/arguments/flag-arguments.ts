import {
  DURATION_EXAMPLES,
  parseDurationMs,
  parseSecondsText,
  parseUtcMs,
} from "../../kit/text/duration.js";
import { MAX_CACHE_AGE_S } from "../../model/defaults.js";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../../model/variable.js";
import { ArgumentError } from "./parse-line.js";

// Parsers for the values of flags and arguments.

/** @param rule of the argument */
export function requireValid<T>(value: T, isValid: boolean, rule: string): T {
  if (!isValid) throw new ArgumentError(`It must be ${rule}.`);
  return value;
}

/** `90s`, `30m`, `24h` or `7d`. Returns milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = parseDurationMs(text) ?? 0;
  return requireValid(milliseconds, milliseconds > 0, `a time such as ${DURATION_EXAMPLES}`);
}

/**
 * A time: a date such as `2026-01-31`, which begins at midnight UTC,
 * `2026-01-31T12:00:00Z`, or a length of time from now. Returns Unix
 * milliseconds.
 *
 * @param now Unix milliseconds
 * @param direction -1 for a length of time before now
 */
export function parseTime(text: string, now: number, direction: 1 | -1): number {
  const length = parseDurationMs(text);
  const time = length === undefined ? parseUtcMs(text) : now + direction * length;
  return requireValid(
    time,
    Number.isFinite(time),
    `a date such as 2026-01-31, or a time such as ${DURATION_EXAMPLES}`,
  );
}

/** A variable's type, in any case. */
export function parseType(text: string): VariableType {
  const type = text.toUpperCase();
  if (isVariableType(type)) return type;
  throw new ArgumentError(`It must be one of ${VARIABLE_TYPES.join(", ")}.`);
}

/**
 * The maximum age of a cached answer: whole seconds, or a time such as `12h`.
 * Returns seconds.
 */
export function parseCacheAge(text: string): number {
  const seconds = parseSecondsText(text);
  const rule =
    "whole seconds or a time such as 12h, from 1 second to 30 days; omit --cache to cache nothing";
  return requireValid(
    seconds,
    Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_CACHE_AGE_S,
    rule,
  );
}
