import { type JsonValue, type VariableType, valueText } from "../../domain/variable.js";
import { MASK, type ShownValue } from "../state/reveal.js";
import { visibleText } from "../text/graphemes.js";
import { type Line, line, type Span } from "../text/line.js";
import type { Role } from "../text/theme.js";

/** What stands for a value that can't be seen. */
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
  const parsed = type === "JSON" ? parsedLines(text) : undefined;
  return parsed ?? text.split("\n").map((each) => line(visibleText(each), ROLES[type]));
}

function parsedLines(text: string): Line[] | undefined {
  try {
    return jsonLines(JSON.parse(text));
  } catch {
    // Decrypted text, or a JSON variable that holds a string, is shown as it is.
    return undefined;
  }
}

/** The text in which values are compared: JSON with an indent of two. */
export function prettyText(value: JsonValue, type: VariableType): string {
  if (type !== "JSON") return valueText(value);
  try {
    return JSON.stringify(typeof value === "string" ? JSON.parse(value) : value, undefined, 2);
  } catch {
    return valueText(value);
  }
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(:?))|-?\d[\d.eE+-]*|true|false|null|[^"\dtfn-]+/g;

/** A value as JSON with an indent of two, with roles for its tokens. */
function jsonLines(value: JsonValue): Line[] {
  const lines = JSON.stringify(value, undefined, 2).split("\n");
  return lines.map((text) =>
    Array.from(text.matchAll(TOKEN), ([token, colon]): Span => {
      return { text: visibleText(token), role: colon === ":" ? "json" : roleOf(token) };
    }),
  );
}

function roleOf(token: string): Role {
  if (token.startsWith('"')) return "string";
  if (/^[-\d]/.test(token)) return "number";
  return /^[tfn]/.test(token) ? "boolean" : "text";
}
