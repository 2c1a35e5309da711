import { UsageError } from "../domain/errors.js";
import { isVariableType, type NamedValue, valueText } from "../domain/variable.js";
import { portableForm } from "./dotenv-for.js";
import {
  entriesOf,
  JSON_STRING,
  loneSurrogate,
  nul,
  type ReadEntry,
  type Refusal,
  refuse,
  type TextType,
  unlessText,
} from "./entry.js";
import { inferValue } from "./infer-type.js";
import { ASSIGNMENT, parseDotenv, withLineFeeds } from "./parse-dotenv.js";

/** At the top of the file, where it can't be inside the quotes of a value. */
const TYPE_COMMENT = "# appvars type:";

/** A value that dotenvx has encrypted. */
const DOTENVX = /^encrypted:[A-Za-z0-9+/]{20,}={0,2}$/;

const protoName: Refusal = ({ name }) => (name === "__proto__" ? "dotenv drops this name" : undefined);

const unquotable = unlessText(
  (text) => portableForm(text) !== undefined,
  "no quotes that all its readers understand: see --for",
);

/**
 * Writes lines that all usual readers of `.env` files read alike. Comments at the top give the types that can't be
 * inferred from the texts.
 */
export function writeDotenv(entries: readonly NamedValue[]): string {
  refuse("dotenv", entries, protoName, nul, loneSurrogate, unquotable);
  const lines = entries.map(({ name, value }) => `${name}=${portableForm(valueText(value))}\n`);
  return [...entries.flatMap(typeComment), ...lines].join("");
}

function typeComment({ name, type, value }: NamedValue): string[] {
  const inferred = inferValue(valueText(value));
  if (inferred.type === type && JSON.stringify(inferred.value) === JSON.stringify(value)) return [];
  const textType: TextType = type === "JSON" && typeof value === "string" ? JSON_STRING : type;
  return [`${TYPE_COMMENT} ${name} ${textType}\n`];
}

/**
 * Reads as the `dotenv` package does, with values as text and the types from `writeDotenv`'s comments. The last of
 * two lines for one name counts, as in dotenv. Refuses names and lines that dotenv silently drops.
 */
export function readDotenv(text: string): ReadEntry[] {
  const content = withLineFeeds(text.replace(/^\ufeff/, ""));
  const values = parseDotenv(content);
  if (values.has("__proto__"))
    throw new UsageError("these can't be read from dotenv: __proto__ (dotenv drops this name)");
  const entries = entriesOf(Object.fromEntries(values));
  const others = content.replace(ASSIGNMENT, (lines) => lines.replace(/[^\n]+/g, "")).split("\n");
  const unread = others.flatMap((line, index) => (/^\s*(#|$)/.test(line) ? [] : [index + 1]));
  if (unread.length > 0) {
    const lines = unread.length > 1 ? "lines" : "line";
    throw new UsageError(`neither an assignment nor a comment: ${lines} ${unread.join(", ")}`);
  }
  const foreign = entries.filter(({ value }) => DOTENVX.test(String(value))).map(({ name }) => name);
  if (foreign.length > 0)
    throw new UsageError(`encrypted: ${foreign.join(", ")}; use the output of: dotenvx decrypt --stdout -f FILE`);
  const types = readTypes(content.split("\n"), others);
  return entries.map((entry) => {
    const type = types.get(entry.name);
    return type ? { ...entry, type } : entry;
  });
}

/**
 * @param others the lines without assignments
 * @throws UsageError for an invalid comment, and for one after the first assignment
 */
function readTypes(lines: readonly string[], others: readonly string[]): Map<string, TextType> {
  const types = new Map<string, TextType>();
  const firstAssignment = lines.findIndex((line, index) => line !== others[index]);
  for (const [index, line] of others.entries()) {
    if (!line.startsWith(TYPE_COMMENT)) continue;
    if (firstAssignment >= 0 && index > firstAssignment)
      throw new UsageError(`line ${index + 1}: "${TYPE_COMMENT}" must come before the first assignment`);
    const [, name, type = ""] = /^ (\S+) (.+)$/.exec(line.slice(TYPE_COMMENT.length).trimEnd()) ?? [];
    if (name === undefined || !isTextType(type))
      throw new UsageError(`line ${index + 1} must be ${TYPE_COMMENT} NAME TYPE`);
    types.set(name, type);
  }
  return types;
}

function isTextType(text: string): text is TextType {
  return text === JSON_STRING || isVariableType(text);
}
