import { isDeepStrictEqual } from "node:util";
import { type Environment, findEnvironment, qualifiedName } from "../../model/environment.js";
import { type Data, NO_DATA, type ValueRecord, type VariableRecord } from "../../store/data.js";
import { renameVariable, setValues, unsetValues } from "../../store/edits/edit-values.js";
import { rollBack } from "../../store/edits/roll-back.js";
import {
  changesBetween,
  type History,
  idOf,
  type RecordChange,
  writesSince,
} from "../../store/history.js";
import type { DataAccess } from "../../tasks/data/data-access.js";
import type {
  EnvironmentChanges,
  HistoryEntry,
  PlaceHistory,
  VariableChange,
  VariableState,
} from "../state/ports.js";

interface Present {
  readonly id: number;
  readonly name: string;
  readonly assigned: VariableState;
}

/** Rules that a change does not mention are removed. */
const NO_RULES = { optional: undefined, secret: undefined, schema: undefined };

/**
 * Applies changes. A type can change if all environments get new values.
 *
 * @throws NotFoundError, UsageError
 */
export function changedData(data: Data, parts: readonly EnvironmentChanges[]): Data {
  const edits = parts.map(({ environment, changes }) => ({
    environment: findEnvironment(data.environments, environment),
    changes,
  }));
  const environments = edits.map(({ environment }) => environment);
  let next = data;
  for (const { environment, changes } of edits) {
    const set = changes.flatMap(({ name, after }) =>
      after ? { ...NO_RULES, ...after, name } : [],
    );
    next = setValues(next, environment, set, environments);
  }
  for (const { environment, changes } of edits) {
    const names = changes.flatMap(({ name, before, after }) =>
      before?.value !== undefined && after?.value === undefined ? name : [],
    );
    next = unsetValues(next, [environment], names);
  }
  for (const { environment, changes } of edits) {
    for (const { name, newName } of changes) {
      if (newName !== undefined)
        next = renameVariable(next, environment.application, name, newName);
    }
  }
  return next;
}

function variablesOfChanges(changes: readonly RecordChange[]): ReadonlySet<number> {
  const ids = changes.map((change) => {
    if (change.list === "values")
      return ((change.after ?? change.before) as ValueRecord).variable_id;
    return change.list === "variables" ? idOf(change) : 0;
  });
  return new Set(ids);
}

/**
 * The changes in each environment of an application. A change of only the
 * definition is listed under `home`.
 */
export function partsBetween(data: Data, next: Data, home: Environment): EnvironmentChanges[] {
  const ids = variablesOfChanges(changesBetween(data, next));
  const own = data.environments.filter(({ application }) => application === home.application);
  return own.flatMap((environment) => {
    const isHome = environment.id === home.id;
    const isShown = ({ before, after, newName }: VariableChange) =>
      !isDeepStrictEqual(before?.value, after?.value) ||
      (isHome && (newName !== undefined || !isSame(before, after)));
    const present = (each: Data) => presentIn(each, environment, ids);
    const changes = variableChanges(present(data), present(next)).filter(isShown);
    return changes.length > 0 ? { environment: qualifiedName(environment), changes } : [];
  });
}

/**
 * Matches variables by name, because one that is created again gets another id,
 * and then by id, to find renames.
 */
function variableChanges(before: readonly Present[], after: readonly Present[]): VariableChange[] {
  const byNameOrId = new Map<string | number, Present>();
  for (const each of after) byNameOrId.set(each.name, each).set(each.id, each);
  const added = new Set(after);
  const changes = before.map(({ id, name, assigned }): VariableChange => {
    const same = byNameOrId.get(name) ?? byNameOrId.get(id);
    if (same) added.delete(same);
    return {
      name,
      ...(same && same.name !== name && { newName: same.name }),
      before: assigned,
      after: same?.assigned,
    };
  });
  return [
    ...changes,
    ...Array.from(added, ({ name, assigned }) => ({ name, before: undefined, after: assigned })),
  ];
}

/** A variable that does not exist equals one without a value. */
export function isSame(a: VariableState | undefined, b: VariableState | undefined): boolean {
  return a && b ? isDeepStrictEqual(a, b) : isDeepStrictEqual(a?.value, b?.value);
}

export function presentByName(
  data: Data,
  environment: string,
  variables: readonly { readonly name: string }[],
) {
  const wanted = new Set(variables.map(({ name }) => name));
  const present = presentIn(data, findEnvironment(data.environments, environment), wanted);
  return new Map(present.map(({ name, assigned }) => [name, assigned]));
}

/** @param wanted the ids or the names of variables */
function presentIn(
  data: Data,
  environment: Environment,
  wanted: ReadonlySet<number | string>,
): Present[] {
  const { application, id: own } = environment;
  const isWanted = ({ id, name }: VariableRecord) => wanted.has(id) || wanted.has(name);
  // Data that was rolled back can have an older record of a value. The last one
  // is valid.
  const values = data.values.filter(({ environment_id }) => environment_id === own);
  const contents = new Map(values.map(({ variable_id, content }) => [variable_id, content.value]));
  const variables = data.variables.filter(
    (each) => each.application === application && isWanted(each),
  );
  return variables.map(({ id, name, application: _, ...definition }) => {
    return { id, name, assigned: { ...definition, value: contents.get(id) } };
  });
}

/** @param own the qualified name of the environment */
export function createHistory({ history }: Pick<DataAccess, "history">, own: string): PlaceHistory {
  return {
    read: (isWanted, limit) =>
      history(async (recorded) => {
        const entries: HistoryEntry[] = [];
        const home = findEnvironment(recorded.data.environments, own);
        for await (const { entry } of entriesOf(recorded, home, isWanted)) {
          if (entries.push(entry) === limit) break;
        }
        return entries;
      }),
    undo: (isWanted) =>
      history(async (recorded) => {
        const { data } = recorded;
        const home = findEnvironment(data.environments, own);
        for await (const { entry, back } of entriesOf(recorded, home, isWanted)) {
          const changes = back.flatMap((part) => changesNow(data, part));
          if (changes.length > 0) return { entry, changes };
        }
        return undefined;
      }),
    rollBack: (id, name) =>
      history(async ({ data, writes }) => {
        const environment = findEnvironment(data.environments, own);
        const isWanted = (each: string) => name === undefined || each === name;
        const old = rollBack(data, await writesSince(id, writes), { environment, isWanted });
        return partsBetween(data, old, environment);
      }),
  };
}

/**
 * Applies earlier changes to the current variables, by name. Fields that the
 * changes don't touch keep their present state.
 */
function changesNow(
  data: Data,
  { environment, changes }: EnvironmentChanges,
): EnvironmentChanges[] {
  const present = presentByName(data, environment, changes);
  const now = changes.flatMap(({ name, newName, before: from, after: to }): VariableChange[] => {
    const before = present.get(name);
    const edited = Object.entries({ ...from, ...to }).flatMap(([field]) => {
      const value = to?.[field as keyof VariableState];
      return isDeepStrictEqual(from?.[field as keyof VariableState], value)
        ? []
        : [[field, value] as const];
    });
    const after = to && { ...to, ...before, ...Object.fromEntries(edited) };
    return newName === undefined && isSame(before, after) ? [] : [{ name, newName, before, after }];
  });
  return now.length > 0 ? [{ environment, changes: now }] : [];
}

/**
 * Yields the wanted entries, newest first, with the changes that undo each.
 * Walks backwards, because the record of a value lacks the name of its
 * variable.
 */
async function* entriesOf(
  { data, writes }: History,
  home: Environment,
  isWanted: (entry: HistoryEntry) => boolean,
) {
  const { environments, variables } = data;
  /**
   * Variables by id, first as the current write left them, then as it found
   * them.
   */
  const current = new Map(variables.map((each) => [each.id, each]));
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
    const { id, time, actor, command, changes } = write;
    const [after, before] = [versionOf(changes, "after"), versionOf(changes, "before")];
    const changesEnvironments = changes.some(({ list }) => list === "environments");
    const hasMore =
      changesEnvironments || [...before.variables, ...after.variables].some(isElsewhere);
    const entry = { id, time, actor, command, parts: partsBetween(before, after, home), hasMore };
    if (isWanted(entry)) yield { entry, back: partsBetween(after, before, home) };
  }
}
