import { UsageError } from "../kit/text/errors.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import {
  isVariableName,
  NAME_RULE,
  type NamedValue,
  type VariableType,
  valueText,
} from "../model/variable.js";

/** A variable as read from a file. In a dotenv file every value is text. */
export interface ReadEntry {
  name: string;
  value: JsonValue;
  /** The type of the text, if the file gives it. */
  type?: TextType;
}

/**
 * The meaning of a text. JSON is a document, in which `5` is a number. A string
 * in a JSON variable is written without quotes, so it needs a separate name.
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

/** Tells the user names and lines, and never a value. */
type Note = (text: string) => void;

/** A variable, and its line if it is known, counted from 1. */
export interface Mention {
  name: string;
  line?: number;
}

const MAX_NAMES = 10;

/** Notes `before A (line 1), B (line 3) after`. */
export function noteNames(
  before: string,
  mentions: readonly Mention[],
  after: string,
  note?: Note,
): void {
  const names = mentions.map(({ name, line }) => (line ? `${name} (line ${line})` : name));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  if (names.length > 0) note?.(before + names.slice(0, MAX_NAMES).join(", ") + more + after);
}

/** Notes values that JavaScript writes differently from the file. */
export function noteRewritten(
  mentions: readonly Mention[],
  note?: Note,
  advice = "; to keep the text, put it in quotes",
): void {
  noteNames("not kept as written, such as 3.10, which becomes 3.1: ", mentions, advice, note);
}

/** @throws UsageError with the line, which never quotes the text */
export type Reader = (text: string, options?: ReadOptions) => ReadEntry[];

/** The readers that a `.env` file can be written for. Default: all. */
export const DOTENV_TARGETS = ["node", "python", "shell", "compose"] as const;
export type DotenvTarget = (typeof DOTENV_TARGETS)[number];

/** The programs whose rules can read a `.env` file. Default: dotenv. */
export const DOTENV_PROGRAMS = [...DOTENV_TARGETS, "chamber"] as const;
export type DotenvProgram = (typeof DOTENV_PROGRAMS)[number];

export interface ReadOptions {
  note?: Note;
  program?: DotenvProgram | undefined;
  /** Whether references in a dotenv file are replaced. */
  expand?: boolean | undefined;
}

/** @throws UsageError for a file of another kind, and for invalid names */
export function entriesOf(object: Record<string, JsonValue>): ReadEntry[] {
  const isCompose = typeof (object["services"] ?? "") === "object";
  const kind = isCompose
    ? COMPOSE
    : KINDS.find(([, ...names]) => names.every((name) => name in object))?.[0];
  if (kind) throw new UsageError(kind);
  const bad = Object.keys(object).filter((name) => !isVariableName(name));
  if (bad.length > 0)
    throw new UsageError(
      `these can't be variable names: ${bad.map(quote).join(", ")}; a name is ${NAME_RULE}`,
    );
  return Object.entries(object).map(([name, value]) => ({ name, value }));
}

const COMPOSE =
  "this is a Compose file; use the output of: docker compose config --format json | jq .services.NAME.environment";
const SOPS = "encrypted by SOPS; use the output of: sops decrypt FILE";

/** Files of another kind, and names that only they have. */
const KINDS: readonly (readonly [kind: string, ...names: string[]])[] = [
  ["these are the profiles of appvars, with their secrets", "version", "profiles"],
  [
    "this is an appvars data file, with the secrets of its environments; to copy its values, run: " +
      "appvars export --data FILE --env NAME --format json | appvars import - --format json",
    "environments",
    "variables",
  ],
  [
    "this is a Kubernetes manifest; for a Secret, use the output of: kubectl get secret NAME -o json | jq '.data | map_values(@base64d)'",
    "apiVersion",
    "kind",
  ],
  [SOPS, "sops"],
  [SOPS, "sops_mac"],
];

/** The name may have control characters, or be the whole file. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/**
 * Returns why a format can't hold an entry, without the value, such as `its
 * value contains a NUL`.
 */
export type Refusal = (entry: NamedValue) => string | undefined;

/**
 * Refuses entries that the format would change. Names must be valid in every
 * format: they may come from any server, and are written unquoted.
 *
 * @throws UnsupportedError with the first reason for each
 */
export function refuse(
  format: string,
  entries: readonly NamedValue[],
  ...refusals: readonly Refusal[]
): void {
  const reasons = new Map<string, string>();
  for (const entry of entries) {
    const reason = isVariableName(entry.name) ? firstOf(refusals, entry) : "not a variable name";
    if (reason !== undefined) reasons.set(entry.name, reason);
  }
  if (reasons.size > 0) throw new UnsupportedError(format, reasons);
}

function firstOf(refusals: readonly Refusal[], entry: NamedValue): string | undefined {
  return refusals.map((refusal) => refusal(entry)).find(Boolean);
}

/** Refuses a text that a pattern matches. */
export function ifText(pattern: Pick<RegExp, "test">, reason: string): Refusal {
  return ({ value }) => (pattern.test(valueText(value)) ? reason : undefined);
}

/** An environment variable ends at a NUL. */
export const nul = ifText(/\0/, "its value contains a NUL");

/** UTF-8 can't hold it; Node would write U+FFFD instead. */
export const loneSurrogate = ifText(
  /\p{Surrogate}/u,
  "its value contains half a surrogate pair, which UTF-8 can't hold",
);

/** Refuses an entry for any string in its value, keys included. */
export function inAnyString(...refusals: readonly Refusal[]): Refusal {
  return (entry) =>
    stringsIn(entry.value)
      .map((value) => firstOf(refusals, { ...entry, value }))
      .find(Boolean);
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}
