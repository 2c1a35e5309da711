import { valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { refuse } from "./refuse.js";

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f" };

/**
 * `name=value` lines for `java.util.Properties.load` (its Javadoc is the rule). They are ASCII only, because `load`
 * reads a stream as ISO-8859-1 and a reader as whatever it was opened with; UTF-16 units are escaped one by one, so
 * half a surrogate pair survives as well. Nothing in the rule for names needs an escape.
 */
export function writeProperties(entries: readonly Entry[]): string {
  refuse("properties", entries, () => undefined);
  return entries.map(({ name, value }) => `${name}=${escaped(valueText(value))}\n`).join("");
}

function escaped(text: string): string {
  // Blanks after the separator are skipped up to the first that is escaped; `load` keeps all others.
  return text.replace(/[^ -[\]-~]/g, (unit) => ESCAPES[unit] ?? `\\u${hex(unit)}`).replace(/^ /, "\\ ");
}

function hex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}
