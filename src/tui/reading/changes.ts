import type { VariableEntry } from "../../domain/source.js";
import type { RecentChanges } from "../state/reading.js";
import type { State } from "../state/state.js";
import { isSame } from "./read-place.js";

const RECENT_MS = 60_000;

/** Names, by what has happened to the variable. */
interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export function changesBetween(before: readonly VariableEntry[], after: readonly VariableEntry[]): Changes {
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

/** Recent changes with those of another read. */
export function withChanges(
  before: RecentChanges | undefined,
  { added, changed, removed }: Changes,
  now: number,
): RecentChanges {
  const kinds = new Map(before?.kinds);
  for (const name of added) kinds.set(name, "added");
  for (const name of changed) kinds.set(name, "changed");
  for (const name of removed) kinds.delete(name);
  return { kinds, until: now + RECENT_MS };
}

/** Whether the notice on the screen is about these changes. */
export function isAnnounced({ added, changed, removed }: Changes, { notice }: State): boolean {
  return [...added, ...changed, ...removed].every((name) => notice?.about?.includes(name));
}

const MAX_NAMES = 3;

/** `changed: PORT, DEBUG; removed: 12 variables`; undefined if nothing has changed. */
export function summarize(changes: Changes): string | undefined {
  const parts = Object.entries(changes).flatMap(([kind, names]) => {
    if (names.length === 0) return [];
    return [`${kind}: ${names.length > MAX_NAMES ? `${names.length} variables` : names.join(", ")}`];
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}
