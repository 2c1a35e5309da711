import { parse } from "dotenv";
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
  if (assignsProto(text)) throw new UsageError("these can't be read from dotenv: __proto__ (dotenv drops this name)");
  const entries = entriesOf(parse(text));
  const unread = unreadLines(text, entries);
  if (unread.length > 0) {
    const lines = unread.length > 1 ? "lines" : "line";
    throw new UsageError(`neither an assignment nor a comment: ${lines} ${unread.join(", ")}`);
  }
  const foreign = entries.filter(({ value }) => DOTENVX.test(String(value))).map(({ name }) => name);
  if (foreign.length > 0)
    throw new UsageError(`encrypted: ${foreign.join(", ")}; use the output of: dotenvx decrypt --stdout -f FILE`);
  const types = readTypes(text, entries);
  return entries.map((entry) => {
    const type = types.get(entry.name);
    return type ? { ...entry, type } : entry;
  });
}

/** @throws UsageError for an invalid comment, and for one after the first assignment that is not part of a value */
function readTypes(text: string, entries: readonly ReadEntry[]): Map<string, TextType> {
  const types = new Map<string, TextType>();
  const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/);
  const firstAssignment = lines.findIndex((line) => !/^\s*(#|$)/.test(line));
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(TYPE_COMMENT)) continue;
    const isLate = firstAssignment >= 0 && index > firstAssignment;
    if (isLate && entries.some(({ value }) => String(value).includes(line))) continue;
    if (isLate) throw new UsageError(`line ${index + 1}: "${TYPE_COMMENT}" must come before the first assignment`);
    const [, name, type = ""] = /^ (\S+) (.+?)\s*$/.exec(line.slice(TYPE_COMMENT.length)) ?? [];
    if (name === undefined || !isTextType(type))
      throw new UsageError(`line ${index + 1} must be ${TYPE_COMMENT} NAME TYPE`);
    types.set(name, type);
  }
  return types;
}

function isTextType(text: string): text is TextType {
  return text === JSON_STRING || isVariableType(text);
}

/** dotenv loses `__proto__` by assigning it to an object, but not another name of its length. */
function assignsProto(text: string): boolean {
  if (!text.includes("__proto__")) return false;
  let standIn = "__proto_a";
  while (text.includes(standIn)) standIn += "a";
  return standIn in parse(text.replaceAll("__proto__", standIn));
}

/** The numbers of lines such as `A B=1`, which dotenv silently ignores. */
function unreadLines(text: string, entries: readonly ReadEntry[]): number[] {
  // A line without an assignment may be inside the quotes of one.
  const quoted = entries.flatMap(({ value }) => (String(value).includes("\n") ? [String(value)] : [])).join("\n");
  const isRead = (line: string) => {
    if (line === "" || line.startsWith("#") || Object.keys(parse(line)).length > 0) return true;
    const content = line.replace(/['"`]\s*(#.*)?$/, "");
    return quoted.includes(content) || quoted.includes(content.replaceAll("\\n", "\n").replaceAll("\\r", "\r"));
  };
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  return lines.flatMap((line, index) => (isRead(line.trim()) ? [] : [index + 1]));
}
