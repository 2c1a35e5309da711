import { UsageError } from "../kit/text/errors.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import { isVariableName, type NamedValue, valueText } from "../model/variable.js";

/** @throws UnsupportedError, UsageError; neither contains a value */
export type Writer = (entries: readonly NamedValue[], options?: WriteOptions) => string;

export interface WriteOptions {
  /** The name of a document that has one: see `NAME_RULES`. */
  name?: string | undefined;
  /** Returns 32 random hex digits, for a delimiter. */
  randomHex?: () => string;
}

/** Thrown for entries that a format can't hold. The message lists them all. */
export class UnsupportedError extends UsageError {
  constructor(
    readonly format: string,
    readonly reasons: ReadonlyMap<string, string>,
  ) {
    super(`these can't be written as ${format}: ${describeReasons(reasons)}`);
  }
}

/** `a-b, c.d (not a shell name), KEY (its value contains a NUL)` */
export function describeReasons(reasons: ReadonlyMap<string, string>): string {
  const byReason = new Map<string, string[]>();
  for (const [name, reason] of reasons)
    if (!byReason.get(reason)?.push(name)) byReason.set(reason, [name]);
  return [...byReason].map(([reason, names]) => `${names.join(", ")} (${reason})`).join(", ");
}

/** The programs for which a `.env` file can be written. Default: all. */
export const DOTENV_TARGETS = ["node", "python", "shell", "compose"] as const;
export type DotenvTarget = (typeof DOTENV_TARGETS)[number];

/**
 * Returns the reason why a format can't hold an entry, such as `its value
 * contains a NUL`. Never quotes the value.
 */
export type ExportCheck = (entry: NamedValue) => string | undefined;

/**
 * Refuses entries that the format would change. Names must be valid in every
 * format: they may come from any server, and are written unquoted.
 *
 * @throws UnsupportedError with the first reason for each
 */
export function refuse(
  format: string,
  entries: readonly NamedValue[],
  ...checks: readonly ExportCheck[]
): void {
  const reasons = new Map<string, string>();
  for (const entry of entries) {
    const reason = isVariableName(entry.name) ? firstOf(checks, entry) : "not a variable name";
    if (reason !== undefined) reasons.set(entry.name, reason);
  }
  if (reasons.size > 0) throw new UnsupportedError(format, reasons);
}

function firstOf(checks: readonly ExportCheck[], entry: NamedValue): string | undefined {
  return checks.map((check) => check(entry)).find(Boolean);
}

/** Refuses a string that a pattern matches. */
export function ifText(pattern: Pick<RegExp, "test">, reason: string): ExportCheck {
  return ({ value }) => (pattern.test(valueText(value)) ? reason : undefined);
}

/** An environment variable ends at a NUL. */
export const nul = ifText(/\0/, "its value contains a NUL");

/** Node would write U+FFFD instead. */
export const loneSurrogate = ifText(
  /\p{Surrogate}/u,
  "its value contains half a surrogate pair, which UTF-8 can't hold",
);

/** Applies checks to every string in a value, including keys. */
export function inAnyString(...checks: readonly ExportCheck[]): ExportCheck {
  return (entry) =>
    stringsIn(entry.value)
      .map((value) => firstOf(checks, { ...entry, value }))
      .find(Boolean);
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}
