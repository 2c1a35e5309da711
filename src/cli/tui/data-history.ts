import { findEnvironment, qualifiedName } from "../../domain/environment.js";
import { NotFoundError } from "../../domain/errors.js";
import type { Data, ValueRecord, VariableRecord } from "../../store/data.js";
import type { Change as Write } from "../../store/history.js";
import { idOf } from "../../store/record-changes.js";
import { rollBack } from "../../store/roll-back.js";
import type { Change, EnvironmentChanges, History, HistoryEntry } from "../../tui/state/ports.js";
import type { LocalData } from "../editing/local-data.js";
import { assignedOf, partsBetween } from "./edit-data.js";

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

type Sides<T> = readonly [before: T | null | undefined, after: T | null | undefined];

/** Returns a function that reads each write, newest first: the record of a value does not tell the name of its variable. */
function entryReader({ environments, variables }: Data, own: string): (write: Write) => HistoryEntry {
  const { application } = findEnvironment(environments, own);
  const places = new Map(environments.map((each) => [each.id, each]));
  /** As they were after the write. */
  const known = new Map(variables.map((each) => [each.id, each]));
  return ({ id, time, actor, command, changes }) => {
    const definitions = new Map<number, Sides<VariableRecord>>();
    for (const change of changes) {
      if (change.list === "variables")
        definitions.set(idOf(change), [change.before, change.after] as Sides<VariableRecord>);
    }
    const found: { environment: string; change: Change }[] = [];
    for (const change of changes.filter(({ list }) => list === "values")) {
      const [before, after] = [change.before, change.after] as Sides<ValueRecord>;
      const { environment_id, variable_id } = (after ?? before) as ValueRecord;
      const place = places.get(environment_id);
      const sides = definitions.get(variable_id) ?? [known.get(variable_id), known.get(variable_id)];
      if (place?.application !== application || !(sides[0] ?? sides[1])) continue;
      found.push({ environment: qualifiedName(place), change: changeOf(sides, [before, after]) });
    }
    const names = new Set(found.map(({ change }) => change.name));
    for (const sides of definitions.values()) {
      const [before, after] = sides;
      const isAlone = before && after?.application === application && !names.has(before.name);
      if (isAlone) found.push({ environment: own, change: changeOf(sides, [undefined, undefined]) });
    }
    const isMore = ({ list, before, after }: (typeof changes)[number]) => {
      if (list === "environments") return true;
      const record = (after ?? before) as VariableRecord & ValueRecord;
      return list === "variables"
        ? record.application !== application
        : places.get(record.environment_id)?.application !== application;
    };
    for (const [variable, [before]] of definitions) {
      if (before) known.set(variable, before);
      else known.delete(variable);
    }
    return { id, time, actor, command, parts: byEnvironment(found), hasMore: changes.some(isMore) };
  };
}

function changeOf([old, next]: Sides<VariableRecord>, [before, after]: Sides<ValueRecord>): Change {
  const { name = "" } = old ?? next ?? {};
  const newName = old && next && next.name !== name ? { newName: next.name } : {};
  const side = (variable: VariableRecord | null | undefined, value: ValueRecord | null | undefined) => {
    return variable ? assignedOf(variable, value) : undefined;
  };
  return { name, ...newName, before: side(old, before), after: side(next, after) };
}

function byEnvironment(found: readonly { environment: string; change: Change }[]): EnvironmentChanges[] {
  return [...new Set(found.map(({ environment }) => environment))].map((environment) => {
    return { environment, changes: found.flatMap((each) => (each.environment === environment ? each.change : [])) };
  });
}
