import { isDeepStrictEqual } from "node:util";
import type { NamedValue } from "./variable.js";

export interface Difference {
  kind: "added" | "removed" | "changed";
  name: string;
  before?: NamedValue;
  after?: NamedValue;
}

/**
 * Returns the differences, sorted by name. The order of keys in JSON objects
 * does not matter.
 */
export function diffValues(
  before: readonly NamedValue[],
  after: readonly NamedValue[],
): Difference[] {
  const removed = new Map<string, NamedValue>();
  for (const item of before) removed.set(item.name, item);
  const differences: Difference[] = [];
  for (const item of after) {
    const previous = removed.get(item.name);
    removed.delete(item.name);
    if (!previous) differences.push({ kind: "added", name: item.name, after: item });
    else if (previous.type !== item.type || !isDeepStrictEqual(previous.value, item.value))
      differences.push({ kind: "changed", name: item.name, before: previous, after: item });
  }
  for (const [name, item] of removed) differences.push({ kind: "removed", name, before: item });
  return differences.sort((a, b) => (a.name < b.name ? -1 : 1));
}
