import { findEnvironment } from "../../domain/environment.js";
import { NotFoundError } from "../../domain/errors.js";
import { type Data, type List, NO_DATA, type ValueRecord, type VariableRecord } from "../../store/data.js";
import type { Change as Write } from "../../store/history.js";
import { idOf, type RecordChange } from "../../store/record-changes.js";
import { rollBack } from "../../store/roll-back.js";
import type { History, HistoryEntry } from "../../tui/state/ports.js";
import type { LocalData } from "../editing/local-data.js";
import { partsBetween } from "./edit-data.js";

/** The history of local data, for one of its environments. @param own its whole name */
export function createHistory({ history }: Pick<LocalData, "history">, own: string): History {
  /** @param choose the entries to take back, of those from the newest to this one */
  const backTo = (id: number, choose: (entries: readonly Write[]) => readonly Write[], name?: string, isOwn = false) =>
    history(async ({ data, changes }) => {
      const entries: Write[] = [];
      for await (const entry of changes) {
        if (entry.id < id) break;
        entries.push(entry);
      }
      if (entries.at(-1)?.id !== id) throw new NotFoundError(`the history has no change ${id} any more`);
      const environment = findEnvironment(data.environments, own);
      const isWanted = (each: string) => name === undefined || each === name;
      const options = { isWanted, environment: isOwn ? environment : undefined };
      return partsBetween(data, rollBack(data, choose(entries), options), environment);
    });
  return {
    read: (isWanted, limit) =>
      history(async ({ data, changes }) => {
        const found: HistoryEntry[] = [];
        const toEntry = entryReader(data, own);
        for await (const change of changes) {
          const entry = toEntry(change);
          if (isWanted(entry)) found.push(entry);
          if (found.length === limit) break;
        }
        return found;
      }),
    undo: (id) => backTo(id, (entries) => entries.slice(-1)),
    rollBack: (id, name) => backTo(id, (entries) => entries, name, true),
  };
}

/** Returns a function that reads each write, newest first: the record of a value does not tell the name of its variable. */
function entryReader({ environments, variables }: Data, own: string): (write: Write) => HistoryEntry {
  const home = findEnvironment(environments, own);
  const applications = new Map(environments.map(({ id, application }) => [id, application]));
  /** As they were after the write, then as they were before it. */
  const known = new Map(variables.map((each) => [each.id, each]));
  return ({ id, time, actor, command, changes }) => {
    const records = <T>(list: List, side: "before" | "after") =>
      changes.flatMap((change) => (change.list === list && change[side] ? (change[side] as T) : []));
    const touched = changes.flatMap((change) => {
      if (change.list === "values") return ((change.after ?? change.before) as ValueRecord).variable_id;
      return change.list === "variables" ? idOf(change) : [];
    });
    const versionOf = (side: "before" | "after"): Data => {
      const found = [...new Set(touched)].flatMap((each) => known.get(each) ?? []);
      return { ...NO_DATA, environments, variables: found, values: records<ValueRecord>("values", side) };
    };
    const after = versionOf("after");
    for (const each of records<VariableRecord>("variables", "after")) known.delete(each.id);
    for (const each of records<VariableRecord>("variables", "before")) known.set(each.id, each);
    const isMore = ({ list, before: old, after: next }: RecordChange) => {
      const record = (next ?? old) as VariableRecord & ValueRecord;
      const application = list === "values" ? applications.get(record.environment_id) : record.application;
      return list === "environments" || application !== home.application;
    };
    const parts = partsBetween(versionOf("before"), after, home);
    return { id, time, actor, command, parts, hasMore: changes.some(isMore) };
  };
}
