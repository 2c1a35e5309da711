import { UsageError } from "../domain/errors.js";
import type { NamedValue } from "../domain/variable.js";
import { entriesOf, type ReadEntry, refuse } from "./entry.js";
import { parseExactJson } from "./infer-type.js";

/** Writes one JSON object. JSON can hold half a surrogate pair as an escape (RFC 8259 section 8.2). */
export function writeJson(entries: readonly NamedValue[]): string {
  refuse("json", entries);
  // Unlike assignment, fromEntries treats `__proto__` like any other key.
  const object = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  return `${JSON.stringify(object, null, 2)}\n`;
}

/** Reads one JSON object. Ignores a byte order mark, which Windows programs write. */
export function readJson(text: string): ReadEntry[] {
  const object = parseExactJson(text.replace(/^\ufeff/, ""));
  if (typeof object === "object" && object !== null && !Array.isArray(object)) return entriesOf(object);
  throw new UsageError("must be one JSON object of names and values");
}
