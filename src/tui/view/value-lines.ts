import type { JsonValue, VariableType } from "../../domain/variable.js";
import { MASK, type ShownValue } from "../browse/reveal.js";
import { type FoldedLine, foldJson, parsedJson } from "../text/fold-json.js";
import { visibleText } from "../text/graphemes.js";
import { type Line, line, type Span } from "../text/line.js";
import type { Role } from "../text/theme.js";

/** The placeholder of a hidden value. */
export const PLACEHOLDERS: Readonly<Record<ShownValue["kind"], Span>> = {
  shown: { text: "(empty)", role: "muted" },
  masked: { text: MASK, role: "muted" },
  encrypted: { text: "(encrypted)", role: "warning" },
  none: { text: "(no value)", role: "muted" },
  loading: { text: "…", role: "muted" },
};

const ROLES = { STRING: "text", NUMBER: "number", BOOLEAN: "boolean", JSON: "text" } as const;

/**
 * A value before it is wrapped: JSON pretty-printed, any other text with its own lines.
 *
 * @param level how many levels of JSON are shown, by default all
 */
export function valueLines(text: string, type: VariableType, level?: number): readonly Line[] {
  if (text === "") return [[PLACEHOLDERS.shown]];
  const lines = type === "JSON" ? prettyLines(text) : undefined;
  const parsed =
    lines && (level === undefined ? lines.map((each) => jsonLine(each)) : foldJson(lines, level).map(foldedLine));
  return parsed ?? text.split("\n").map((each) => line(visibleText(each), ROLES[type]));
}

function prettyLines(text: string): string[] | undefined {
  const value = parsedJson(text);
  return value === undefined ? undefined : JSON.stringify(value, undefined, 2).split("\n");
}

/** How many levels a JSON text has: 1 for an array of numbers. */
export function jsonLevels(text: string): number {
  return levelsOf(parsedJson(text) ?? null);
}

function levelsOf(value: JsonValue): number {
  if (value === null || typeof value !== "object") return 0;
  const members = Object.values(value);
  return members.reduce((most: number, each) => Math.max(most, 1 + levelsOf(each)), 0);
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(:?))|-?\d[\d.eE+-]*|true|false|null|[^"\dtfn-]+/g;

/** A line of JSON, with roles for its tokens. */
function jsonLine(text: string): Span[] {
  return Array.from(text.matchAll(TOKEN), ([token, colon]): Span => {
    return { text: visibleText(token), role: colon === ":" ? "json" : roleOf(token) };
  });
}

/** `"themes": [ … 2 ],` */
function foldedLine({ text, members, end = "" }: FoldedLine): Line {
  const spans = jsonLine(text);
  return members === undefined ? spans : [...spans, { text: ` … ${members} `, role: "muted" }, { text: end }];
}

function roleOf(token: string): Role {
  if (token.startsWith('"')) return "string";
  if (/^[-\d]/.test(token)) return "number";
  return /^[tfn]/.test(token) ? "boolean" : "text";
}
