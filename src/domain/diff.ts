import { isDeepStrictEqual } from "node:util";
import type { JsonValue, VariableType } from "./variable.js";

/** A variable together with the value that it has somewhere. */
export interface NamedValue {
  name: string;
  type: VariableType;
  value: JsonValue;
}

/** What differs for one name; `before` and `after` are absent where it was added or removed. */
export interface Difference {
  kind: "added" | "removed" | "changed";
  name: string;
  before?: NamedValue;
  after?: NamedValue;
}

/** What turns `before` into `after`, by name. The order of keys in a JSON object is no difference. */
export function diffValues(before: readonly NamedValue[], after: readonly NamedValue[]): Difference[] {
  const old = new Map(before.map((item) => [item.name, item]));
  const remaining = new Set(after.map((item) => item.name));
  const removed = before
    .filter((item) => !remaining.has(item.name))
    .map((item): Difference => {
      return { kind: "removed", name: item.name, before: item };
    });
  const addedOrChanged = after.flatMap((item): Difference[] => {
    const previous = old.get(item.name);
    if (!previous) return [{ kind: "added", name: item.name, after: item }];
    const isSame = previous.type === item.type && isDeepStrictEqual(previous.value, item.value);
    return isSame ? [] : [{ kind: "changed", name: item.name, before: previous, after: item }];
  });
  return [...removed, ...addedOrChanged].sort((a, b) => (a.name < b.name ? -1 : 1));
}
