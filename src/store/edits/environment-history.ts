import { isDeepStrictEqual } from "node:util";
import { findEnvironment } from "../../model/environment.js";
import type {
  EnvironmentChanges,
  HistoryEntry,
  VariableChange,
  VariableState,
} from "../../model/variable-change.js";
import { type Data, mapById, NO_DATA, type ValueRecord, type VariableRecord } from "../data.js";
import { type History, idOf, type RecordChange, writesSince } from "../history.js";
import { rollBack } from "./roll-back.js";
import {
  changesByEnvironment,
  isSameState,
  statesByName,
  variablesOfChanges,
} from "./variable-changes.js";

type IsWanted = (entry: HistoryEntry) => boolean;

/**
 * Reads up to `limit` wanted entries, newest first.
 *
 * @param environmentName the qualified name of the environment, here and below
 */
export async function readEntries(
  history: History,
  environmentName: string,
  isWanted: IsWanted,
  limit: number,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const { entry } of entriesOf(history, environmentName, isWanted))
    if (entries.push(entry) === limit) break;
  return entries;
}

/**
 * Finds the newest wanted entry that still has an effect, and the changes that
 * undo it.
 */
export async function planUndo(history: History, environmentName: string, isWanted: IsWanted) {
  for await (const { entry, undoChanges } of entriesOf(history, environmentName, isWanted)) {
    const changes = undoChanges.flatMap((part) => changesNow(history.data, part));
    if (changes.length > 0) return { entry, changes };
  }
  return undefined;
}

/**
 * Returns the changes that restore the state before an entry.
 *
 * @param name only restore this variable
 */
export async function changesToRestore(
  { data, writes }: History,
  environmentName: string,
  id: number,
  name?: string,
): Promise<EnvironmentChanges[]> {
  const environment = findEnvironment(data.environments, environmentName);
  const isWanted = (each: string) => name === undefined || each === name;
  const old = rollBack(data, await writesSince(id, writes), { environment, isWanted });
  return changesByEnvironment(data, old, environment);
}

/**
 * Applies earlier changes to the current variables, by name. Fields that the
 * changes don't touch keep their present state.
 */
function changesNow(
  data: Data,
  { environment, changes }: EnvironmentChanges,
): EnvironmentChanges[] {
  const present = statesByName(data, environment, changes);
  const now = changes.flatMap(({ name, newName, before: from, after: to }): VariableChange[] => {
    const before = present.get(name);
    const edited = Object.entries({ ...from, ...to }).flatMap(([field]) => {
      const value = to?.[field as keyof VariableState];
      return isDeepStrictEqual(from?.[field as keyof VariableState], value)
        ? []
        : [[field, value] as const];
    });
    const after = to && { ...to, ...before, ...Object.fromEntries(edited) };
    return newName === undefined && isSameState(before, after)
      ? []
      : [{ name, newName, before, after }];
  });
  return now.length > 0 ? [{ environment, changes: now }] : [];
}

/**
 * Yields the wanted entries, newest first, with the changes that undo each.
 * Walks backwards, because the record of a value lacks the name of its
 * variable.
 */
async function* entriesOf({ data, writes }: History, environmentName: string, isWanted: IsWanted) {
  const { environments, variables } = data;
  const home = findEnvironment(environments, environmentName);
  /**
   * Variables by id, first as the current write left them, then as it found
   * them.
   */
  const current = mapById(variables);
  const versionOf = (changes: readonly RecordChange[], side: "before" | "after"): Data => {
    for (const change of changes.filter(({ list }) => list === "variables")) {
      if (change[side]) current.set(idOf(change), change[side] as VariableRecord);
      else current.delete(idOf(change));
    }
    const touched = [...variablesOfChanges(changes)].flatMap((each) => current.get(each) ?? []);
    const values = changes.flatMap((change) =>
      change.list === "values" ? ((change[side] as ValueRecord) ?? []) : [],
    );
    return { ...NO_DATA, environments, variables: touched, values };
  };
  const isElsewhere = ({ application }: VariableRecord) => application !== home.application;
  for await (const write of writes) {
    const { changes, ...author } = write;
    const [after, before] = [versionOf(changes, "after"), versionOf(changes, "before")];
    const changesEnvironments = changes.some(({ list }) => list === "environments");
    const hasMore =
      changesEnvironments || [...before.variables, ...after.variables].some(isElsewhere);
    const entry = { ...author, parts: changesByEnvironment(before, after, home), hasMore };
    if (isWanted(entry)) yield { entry, undoChanges: changesByEnvironment(after, before, home) };
  }
}
