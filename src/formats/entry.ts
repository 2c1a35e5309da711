import { UsageError } from "../domain/errors.js";
import {
  isVariableName,
  type JsonValue,
  NAME_RULE,
  type NamedValue,
  type VariableType,
  valueText,
} from "../domain/variable.js";

/** A variable with its value, as read from a file. In a dotenv file every value is text. */
export interface ReadEntry {
  name: string;
  value: JsonValue;
  /** The type of the text, if the file tells it. Otherwise the value determines the type. */
  type?: TextType;
}

/**
 * The meaning of a text. For JSON that is a JSON document, so `5` is a number; a string in a JSON variable is written
 * without quotes, so it needs a separate name.
 */
export type TextType = VariableType | typeof JSON_STRING;

export const JSON_STRING = "JSON string";

/** @throws UnsupportedError, UsageError; neither contains a value */
export type Writer = (entries: readonly NamedValue[], options?: WriteOptions) => string;

export interface WriteOptions {
  /** The name of a document that has one: see `NAME_RULES`. */
  name?: string | undefined;
  /** Returns 32 random hex digits, for a delimiter. */
  randomHex?: () => string;
}

/** Thrown for entries that a format can't hold. The message lists all of them, by their reasons. */
export class UnsupportedError extends UsageError {
  readonly format: string;
  readonly reasons: ReadonlyMap<string, string>;
  constructor(format: string, reasons: ReadonlyMap<string, string>) {
    super(`these can't be written as ${format}: ${describeReasons(reasons)}`);
    this.format = format;
    this.reasons = reasons;
  }
}

/** `a-b, c.d (not a shell name), KEY (its value contains a NUL)`. @param reasons by the name of the entry */
export function describeReasons(reasons: ReadonlyMap<string, string>): string {
  const byReason = new Map<string, string[]>();
  for (const [name, reason] of reasons) {
    const names = byReason.get(reason) ?? [];
    names.push(name);
    byReason.set(reason, names);
  }
  return [...byReason].map(([reason, names]) => `${names.join(", ")} (${reason})`).join(", ");
}

/** @throws UsageError with the problem and its place, which never quotes the text */
export type Reader = (text: string) => ReadEntry[];

/** The entries of an object that was read. @throws UsageError, as `checkNames` */
export function entriesOf(object: Record<string, JsonValue>): ReadEntry[] {
  checkNames(Object.keys(object));
  return Object.entries(object).map(([name, value]) => ({ name, value }));
}

/** @throws UsageError for a file of appvars itself, or listing every name that a variable can't have */
function checkNames(names: readonly string[]): void {
  const has = (...all: string[]) => all.every((name) => names.includes(name));
  if (has("version", "profiles")) throw new UsageError("these are the profiles of appvars, with their secrets");
  if (has("environments", "values") || has("environments", "variables")) {
    throw new UsageError(
      "this is an appvars data file, with the secrets of its environments; to copy its values, run: " +
        "appvars export --data FILE --env NAME --format json | appvars import - --format json",
    );
  }
  const bad = names.filter((name) => !isVariableName(name));
  if (bad.length === 0) return;
  throw new UsageError(`these can't be variable names: ${bad.map(quote).join(", ")}; a name is ${NAME_RULE}`);
}

/** The name may be anything, such as control characters or the whole file. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** Why a format can't hold an entry, without the value: `its value contains a NUL`; undefined when it can. */
export type Refusal = (entry: NamedValue) => string | undefined;

/**
 * Refuses entries that the format would change. Names must be valid in every format: entries may come from any
 * server, and names are written unquoted.
 *
 * @throws UnsupportedError with the first reason for each
 */
export function refuse(format: string, entries: readonly NamedValue[], ...refusals: readonly Refusal[]): void {
  const reasons = new Map<string, string>();
  for (const entry of entries) {
    const reason = isVariableName(entry.name) ? firstOf(refusals, entry) : "not a variable name";
    if (reason !== undefined) reasons.set(entry.name, reason);
  }
  if (reasons.size > 0) throw new UnsupportedError(format, reasons);
}

function firstOf(refusals: readonly Refusal[], entry: NamedValue): string | undefined {
  for (const refusal of refusals) {
    const reason = refusal(entry);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

export function unlessText(test: (text: string) => boolean, reason: string): Refusal {
  return ({ value }) => (test(valueText(value)) ? undefined : reason);
}

/** An environment variable ends at a NUL. */
export const nul = unlessText((text) => !text.includes("\0"), "its value contains a NUL");

/** UTF-8 can't hold it; Node would write U+FFFD instead. */
export const loneSurrogate = unlessText(
  (text) => !/\p{Surrogate}/u.test(text),
  "its value contains half a surrogate pair, which UTF-8 can't hold",
);

/** For formats with a JSON-like structure: refuses an entry for any string in its value, keys included. */
export function inAnyString(...refusals: readonly Refusal[]): Refusal {
  return (entry) => {
    const reasons = stringsIn(entry.value).map((value) => firstOf(refusals, { ...entry, value }));
    return reasons.find((reason) => reason !== undefined);
  };
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}
