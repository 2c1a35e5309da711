import type { JsonValue } from "../../domain/variable.js";
import type { Role } from "../theme.js";
import type { Line, Span } from "./line.js";
import { visibleText } from "./visible-text.js";

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(:?))|-?\d[\d.eE+-]*|true|false|null|[^"\dtfn-]+/g;

/** A value as JSON with an indent of two, told apart by kind. */
export function jsonLines(value: JsonValue): Line[] {
  return JSON.stringify(value, undefined, 2).split("\n").map(tokens);
}

function tokens(text: string): Line {
  return Array.from(text.matchAll(TOKEN), ([token, key]): Span => {
    return { text: visibleText(token), role: key === ":" ? "json" : kind(token) };
  });
}

function kind(token: string): Role {
  if (token.startsWith('"')) return "string";
  if (/^[-\d]/.test(token)) return "number";
  return /^[tfn]/.test(token) ? "boolean" : "text";
}
