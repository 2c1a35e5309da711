import type { Entry } from "./entry.js";
import { refuse } from "./refuse.js";

/**
 * One JSON object of names and values. Half a surrogate pair is written as an escape, which JSON can hold (RFC 8259
 * section 8.2) and `JSON.parse` gives back.
 */
export function writeJson(entries: readonly Entry[]): string {
  refuse("json", entries, () => undefined);
  // fromEntries defines keys instead of assigning them, so `__proto__` is one like any other.
  const object = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  return `${JSON.stringify(object, null, 2)}\n`;
}
