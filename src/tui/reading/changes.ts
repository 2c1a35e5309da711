import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { withEffects, withFailure } from "../state/effects.js";
import { type Entries, type RecentChanges, readingOf, withReading } from "../state/readings.js";
import type { Effect, Sort, State } from "../state/state.js";
import { countOf } from "../text/line.js";

const RECENT_MS = 60_000;

type Changes = ReadonlyMap<string, "added" | "changed" | "removed">;

/** @param after must reuse the unchanged entry objects of `before` */
export function diffEntries(before: Entries, after: Entries): Changes {
  const old = new Map(before.map((entry) => [entry.variable.name, entry]));
  const changes = new Map<string, "added" | "changed" | "removed">();
  for (const entry of after) {
    const { name } = entry.variable;
    if (old.get(name) !== entry) changes.set(name, old.has(name) ? "changed" : "added");
    old.delete(name);
  }
  for (const name of old.keys()) changes.set(name, "removed");
  return changes;
}

export function withChanges(
  before: RecentChanges | undefined,
  changes: Changes,
  time: number,
): RecentChanges {
  const kinds = new Map(before?.kinds);
  for (const [name, kind] of changes) {
    if (kind === "removed") kinds.delete(name);
    else kinds.set(name, kind);
  }
  return { kinds, until: time + RECENT_MS };
}

const MAX_NAMES = 3;

/** `changed: PORT, DEBUG; removed: 12 variables` */
export function summarize(changes: Changes): string {
  const parts = (["added", "changed", "removed"] as const).flatMap((kind) => {
    const names = [...changes].flatMap(([name, each]) => (each === kind ? name : []));
    if (names.length === 0) return [];
    return `${kind}: ${names.length > MAX_NAMES ? countOf(names.length, "variable") : names.join(", ")}`;
  });
  return parts.join("; ");
}

/** The history entries that are searched: the default limit of a data file. */
export const MAX_HISTORY_ENTRIES = 1_000;

export function lookUpChanges(place: number): Effect {
  return async ({ places }) => {
    const { history, editor } = await places.open(place);
    const entries = (await history?.read(() => true, MAX_HISTORY_ENTRIES)) ?? [];
    // The newest entry comes first. Reversed, it overwrites older ones.
    const changes = entries.toReversed().flatMap(({ id, parts }) => {
      const own = parts.filter(({ environment }) => environment === editor?.environment);
      return own.flatMap((part) =>
        part.changes.map(({ name, newName = name }) => [newName, id] as const),
      );
    });
    const lastChanges = new Map(changes);
    return (state) => withReading(state, place, { lastChanges });
  };
}

/** Looks up the last changes in the open place if an order needs them. */
export function withLastChanges(state: State, sort: Sort): State {
  const isUnknown = sort === "changed" && readingOf(state).lastChanges === undefined;
  return isUnknown ? withEffects(state, lookUpChanges(state.place)) : state;
}

/** Checks entries as `appvars check` does, where that sends no request. */
export function checking(place: number, entries: Entries): Effect {
  const effect: Effect = async ({ places }) => {
    const { version, check } = await places.open(place);
    const rules = version && (await check?.());
    const broken = entries.flatMap((entry): [VariableEntry, string][] => {
      const rule = rules?.get(entry.variable.name);
      return rule === undefined ? [] : [[entry, rule]];
    });
    return (state) => {
      const { entries: current, findings } = readingOf(state, place);
      if (current !== entries || (broken.length === 0 && !findings)) return state;
      return withReading(state, place, { findings: new Map(broken) });
    };
  };
  return withFailure(effect, () => (state) => state);
}
