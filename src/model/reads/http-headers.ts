import type { IncomingHttpHeaders } from "node:http";

/**
 * A server reads its store every two seconds, and after each write, which a
 * smaller age would reveal.
 */
const FRESH_MS = 3_000;

/** The version of the environment's data. All data routes send it. */
export const REVISION_HEADER = "Appvars-Revision";
/**
 * `NUMBER-WRITE`: the number of writes to a data store, and the id of the last
 * one; `1-REVISION` for a limited key.
 */
export const VERSION_HEADER = "Appvars-Version";
/**
 * The seconds since the data was last known to be the newest. Only servers over
 * a data store send it.
 */
export const DATA_AGE_HEADER = "Appvars-Data-Age";
export const LIMIT_HEADER = "RateLimit-Limit";
export const REMAINING_HEADER = "RateLimit-Remaining";
export const RESET_HEADER = "RateLimit-Reset";
export const RETRY_AFTER_HEADER = "Retry-After";

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly reset: number;
}

/** Each field is `undefined` if its header is missing or malformed. */
export function parseRateLimitHeaders(headers: IncomingHttpHeaders) {
  return {
    limit: parseCount(headers, LIMIT_HEADER),
    remaining: parseCount(headers, REMAINING_HEADER),
    reset: parseCount(headers, RESET_HEADER),
  };
}

/** Returns header names and values, alternating. @param age in milliseconds */
export function formatFreshness(version: string, age: number): string[] {
  return [VERSION_HEADER, version, DATA_AGE_HEADER, String(ageInSeconds(age))];
}

/**
 * Returns the age of data in whole seconds; 0 for less than three.
 *
 * @param age in milliseconds
 */
export function ageInSeconds(age: number): number {
  return age < FRESH_MS ? 0 : Math.floor(age / 1_000);
}

/**
 * Returns the version and age of the data; `undefined` if one is missing or
 * malformed.
 */
export function parseFreshness(headers: IncomingHttpHeaders) {
  const [, number, write = ""] =
    /^(\d{1,15})-([\w-]{1,64})$/.exec(String(headers[VERSION_HEADER.toLowerCase()] ?? "")) ?? [];
  const age = parseDataAge(headers);
  return number === undefined || age === undefined
    ? undefined
    : { number: Number(number), write, age };
}

/** Returns whole seconds; `undefined` if the header is missing or malformed. */
export function parseDataAge(headers: IncomingHttpHeaders): number | undefined {
  return parseCount(headers, DATA_AGE_HEADER);
}

function parseCount(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = String(headers[name.toLowerCase()] ?? "");
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns seconds. `undefined` for 0, and for a date, which the API does not
 * send.
 */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const seconds = Number(headers["retry-after"] ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
