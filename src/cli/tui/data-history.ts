import { type Environment, type EnvironmentRecord, findEnvironment } from "../../domain/environment.js";
import { type Data, NO_DATA, type ValueRecord, type VariableRecord } from "../../store/data.js";
import { changesSince, type Change as Write } from "../../store/history.js";
import { idOf } from "../../store/record-changes.js";
import { rollBack } from "../../store/roll-back.js";
import type { History, HistoryEntry } from "../../tui/state/ports.js";
import type { LocalData } from "../editing/local-data.js";
import { partsBetween, variablesOfChanges } from "./edit-data.js";

/** The history of local data, for one of its environments. @param own its whole name */
export function createHistory({ history }: Pick<LocalData, "history">, own: string): History {
  const changed = (id: number, change: (data: Data, writes: readonly Write[], home: EnvironmentRecord) => Data) =>
    history(async ({ data, changes }) => {
      const home = findEnvironment(data.environments, own);
      return partsBetween(data, change(data, await changesSince(id, changes), home), home);
    });
  return {
    read: (isWanted, limit) =>
      history(async ({ data, changes }) => {
        const found: HistoryEntry[] = [];
        const toEntry = entryReader(data, findEnvironment(data.environments, own));
        for await (const change of changes) {
          const entry = toEntry(change);
          if (isWanted(entry)) found.push(entry);
          if (found.length === limit) break;
        }
        return found;
      }),
    // The environments stay as they are.
    undo: (id) => changed(id, (data, writes) => rollBack(data, writes.slice(-1), { isWanted: () => true })),
    rollBack: (id, name) =>
      changed(id, (data, writes, environment) => {
        return rollBack(data, writes, { environment, isWanted: (each) => name === undefined || each === name });
      }),
  };
}

/** Returns a function that reads each write, newest first: the record of a value does not tell the name of its variable. */
function entryReader({ environments, variables }: Data, home: Environment): (write: Write) => HistoryEntry {
  /** As they were after the write, then as they were before it. */
  const known = new Map(variables.map((each) => [each.id, each]));
  return ({ id, time, actor, command, changes }) => {
    const versionOf = (side: "before" | "after"): Data => {
      for (const change of changes.filter(({ list }) => list === "variables")) {
        if (change[side]) known.set(idOf(change), change[side] as VariableRecord);
        else known.delete(idOf(change));
      }
      const touched = [...variablesOfChanges(changes)].flatMap((each) => known.get(each) ?? []);
      const values = changes.flatMap((change) =>
        change.list === "values" ? ((change[side] as ValueRecord) ?? []) : [],
      );
      return { ...NO_DATA, environments, variables: touched, values };
    };
    const [after, before] = [versionOf("after"), versionOf("before")];
    const isElsewhere = ({ application }: VariableRecord) => application !== home.application;
    const hasMore = [...before.variables, ...after.variables].some(isElsewhere);
    const isOfEnvironment = changes.some(({ list }) => list === "environments");
    return { id, time, actor, command, parts: partsBetween(before, after, home), hasMore: hasMore || isOfEnvironment };
  };
}
