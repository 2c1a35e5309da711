import type { VariableType } from "../../domain/variable.js";
import { MASK, type ShownValue } from "../browse/reveal.js";
import { visibleText } from "../text/graphemes.js";
import { parsedJson } from "../text/json.js";
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

/** A value before it is wrapped: JSON pretty-printed, any other text with its own lines. */
export function valueLines(text: string, type: VariableType): readonly Line[] {
  if (text === "") return [[PLACEHOLDERS.shown]];
  const json = type === "JSON" ? parsedJson(text) : undefined;
  if (json !== undefined) return JSON.stringify(json, undefined, 2).split("\n").map(jsonLine);
  return text.split("\n").map((each) => line(visibleText(each), ROLES[type]));
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(:?))|-?\d[\d.eE+-]*|true|false|null|[^"\dtfn-]+/g;

/** A line of JSON, with roles for its tokens. */
function jsonLine(text: string): Span[] {
  return Array.from(text.matchAll(TOKEN), ([token, colon]): Span => {
    return { text: visibleText(token), role: colon === ":" ? "json" : roleOf(token) };
  });
}

function roleOf(token: string): Role {
  if (token.startsWith('"')) return "string";
  if (/^[-\d]/.test(token)) return "number";
  return /^[tfn]/.test(token) ? "boolean" : "text";
}
