import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";

export type Changes = ReturnType<typeof changesBetween>;

export function changesBetween(before: readonly VariableEntry[], after: readonly VariableEntry[]) {
  const old = new Map(before.map((entry) => [entry.variable.name, entry]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const entry of after) {
    const known = old.get(entry.variable.name);
    old.delete(entry.variable.name);
    if (!known) added.push(entry.variable.name);
    else if (!isSame(known, entry)) changed.push(entry.variable.name);
  }
  return { added, changed, removed: [...old.keys()] };
}

const MAX_NAMES = 3;

/** `changed: PORT, DEBUG; removed: 12 variables`; undefined if nothing has changed. */
export function summarize({ added, changed, removed }: Changes): string | undefined {
  const parts = Object.entries({ added, changed, removed }).flatMap(([kind, names]) => {
    if (names.length === 0) return [];
    return [`${kind}: ${names.length > MAX_NAMES ? `${names.length} variables` : names.join(", ")}`];
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Whether two entries have the same content: a restarted server may create new records of it. */
export function isSame(a: VariableEntry, b: VariableEntry): boolean {
  if (a === b) return true;
  const parts = ({ variable, value, rules }: VariableEntry) => [variable, value, rules];
  return isDeepStrictEqual(parts(a), parts(b));
}
