import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../ports.js";

/** Names of variables that one reading has and the one before had not, or had otherwise, or had. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What differs between two readings of the same place. */
export function changesBetween(before: readonly Entry[], after: readonly Entry[]): Changes {
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

/** Most names that are told of one by one. */
const MOST_NAMES = 3;

/** `changed: PORT, DEBUG; removed: 12 variables`; undefined where nothing has. */
export function summarize({ added, changed, removed }: Changes): string | undefined {
  const parts = Object.entries({ added, changed, removed }).flatMap(([kind, names]) => {
    if (names.length === 0) return [];
    return [`${kind}: ${names.length > MOST_NAMES ? `${names.length} variables` : names.join(", ")}`];
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Whether the content is: a server that was restarted may have made new objects of the same. */
export function isSame(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  return isDeepStrictEqual(a.variable, b.variable) && isDeepStrictEqual(a.value, b.value);
}
