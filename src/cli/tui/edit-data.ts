import { isDeepStrictEqual } from "node:util";
import { type Environment, findEnvironment, qualifiedName } from "../../domain/environment.js";
import type { Data, ValueRecord, VariableRecord } from "../../store/data.js";
import { renameVariable, setValues, unsetValues } from "../../store/edit-values.js";
import type { Assigned, Change, EnvironmentChanges } from "../../tui/state/ports.js";

/** A variable as an environment sees it. */
interface Present {
  readonly id: number;
  readonly name: string;
  readonly assigned: Assigned;
}

/** The fields that a variable lacks are those that it is to lose. */
const NO_RULES = { optional: undefined, secret: undefined, schema: undefined };

/**
 * Data after changes, which all environments see at once: a type can change if the values of all of them follow.
 *
 * @throws NotFoundError, UsageError
 */
export function withChanges(data: Data, parts: readonly EnvironmentChanges[]): Data {
  const found = parts.map(({ environment, changes }) => {
    const isChange = ({ newName, before, after }: Change) => newName !== undefined || !isDeepStrictEqual(before, after);
    return { environment: findEnvironment(data.environments, environment), changes: changes.filter(isChange) };
  });
  const environments = found.map(({ environment }) => environment);
  let next = data;
  for (const { environment, changes } of found) {
    const set = changes.flatMap(({ name, after }) => (after ? { ...NO_RULES, ...after, name } : []));
    if (set.length > 0) next = setValues(next, environment, set, environments);
  }
  for (const { environment, changes } of found) {
    const unset = changes.filter(({ before, after }) => before?.value !== undefined && after?.value === undefined);
    const names = unset.map(({ name }) => name);
    if (names.length > 0) next = unsetValues(next, [environment], names);
  }
  for (const { environment, changes } of found) {
    for (const { name, newName } of changes) {
      if (newName !== undefined) next = renameVariable(next, environment.application, name, newName);
    }
  }
  return next;
}

/**
 * What has changed in the environments of an application. Definitions belong to all of them: one that changes without the
 * value is among the changes of one environment.
 */
export function partsBetween(data: Data, next: Data, home: Environment): EnvironmentChanges[] {
  const values = onlyIn(data.values, next.values).map(({ variable_id }) => variable_id);
  const ids = new Set([...onlyIn(data.variables, next.variables).map(({ id }) => id), ...values]);
  const isChanged = ({ id }: VariableRecord) => ids.has(id);
  const own = data.environments.filter(({ application }) => application === home.application);
  return own.flatMap((environment) => {
    const [before, after] = [data, next].map((each) => presentIn(each, environment, isChanged)) as [
      Present[],
      Present[],
    ];
    const changes = changesOf(before, after).filter((change) => isShown(change, environment.id === home.id));
    return changes.length > 0 ? { environment: qualifiedName(environment), changes } : [];
  });
}

/** Records that are in one of two lists. Those that have not changed are the same objects. */
function onlyIn<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  if (before === after) return [];
  const removed = new Set(before);
  const added = after.filter((record) => !removed.delete(record));
  return [...added, ...removed];
}

/** By their names, as an id changes when a variable is created again; or else by their ids, for renames. */
function changesOf(before: readonly Present[], after: readonly Present[]): Change[] {
  const [byName, byId] = [
    new Map(after.map((each) => [each.name, each])),
    new Map(after.map((each) => [each.id, each])),
  ];
  const found = new Set<Present>();
  const changes = before.map(({ id, name, assigned }): Change => {
    const same = byName.get(name) ?? byId.get(id);
    if (same) found.add(same);
    const newName = same && same.name !== name ? { newName: same.name } : {};
    return { name, ...newName, before: assigned, after: same?.assigned };
  });
  const added = after.filter((each) => !found.has(each));
  return [...changes, ...added.map(({ name, assigned }) => ({ name, before: undefined, after: assigned }))];
}

function isShown({ before, after, newName }: Change, isHome: boolean): boolean {
  if (!isDeepStrictEqual(before?.value, after?.value)) return true;
  return isHome && (newName !== undefined || !isSame(before, after));
}

/** A variable that is removed with its last value is the same as one without a value. */
export function isSame(a: Assigned | undefined, b: Assigned | undefined): boolean {
  return a && b ? isDeepStrictEqual(a, b) : isDeepStrictEqual(a?.value, b?.value);
}

/** Variables as they are in an environment. */
export function presentByName(
  data: Data,
  environment: string,
  variables: readonly { readonly name: string }[],
): ReadonlyMap<string, Assigned> {
  const wanted = new Set(variables.map(({ name }) => name));
  const present = presentIn(data, findEnvironment(data.environments, environment), ({ name }) => wanted.has(name));
  return new Map(present.map(({ name, assigned }) => [name, assigned]));
}

function presentIn(data: Data, environment: Environment, isWanted: (variable: VariableRecord) => boolean): Present[] {
  const { application, id: environmentId } = environment;
  const variables = data.variables.filter((each) => each.application === application && isWanted(each));
  const ids = new Set(variables.map(({ id }) => id));
  const values = new Map<number, ValueRecord>();
  for (const value of data.values) {
    if (value.environment_id === environmentId && ids.has(value.variable_id)) values.set(value.variable_id, value);
  }
  return variables.map(({ id, name, application: _, ...definition }) => {
    return { id, name, assigned: { ...definition, value: values.get(id)?.content.value } };
  });
}
