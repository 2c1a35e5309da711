import { type Environment, findEnvironment } from "../../domain/environment.js";
import { type Data, NO_DATA, type ValueRecord, type VariableRecord } from "../../store/data.js";
import { changesSince, type Change as Write } from "../../store/history.js";
import { idOf } from "../../store/record-changes.js";
import { rollBack } from "../../store/roll-back.js";
import type { History, HistoryEntry } from "../../tui/state/ports.js";
import type { LocalData } from "../editing/local-data.js";
import { partsBetween, variablesOfChanges } from "./edit-data.js";

/** Entries that are tried: only some have no effect any more, or one in no listed environment. */
const MAX_TRIES = 20;

/** The history of local data, for one of its environments. @param own its whole name */
export function createHistory({ history }: Pick<LocalData, "history">, own: string): History {
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
    undo: (isWanted, isListed) =>
      history(async ({ data, changes: writes }) => {
        const home = findEnvironment(data.environments, own);
        const toEntry = entryReader(data, home);
        let tries = 0;
        for await (const write of writes) {
          const entry = toEntry(write);
          if (!isWanted(entry)) continue;
          // The environments stay as they are.
          const changes = partsBetween(data, rollBack(data, [write], { isWanted: () => true }), home);
          if (changes.some(({ environment }) => isListed(environment))) return { entry, changes };
          if (++tries === MAX_TRIES) break;
        }
        return undefined;
      }),
    rollBack: (id, name) =>
      history(async ({ data, changes }) => {
        const environment = findEnvironment(data.environments, own);
        const isWanted = (each: string) => name === undefined || each === name;
        const old = rollBack(data, await changesSince(id, changes), { environment, isWanted });
        return partsBetween(data, old, environment);
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
