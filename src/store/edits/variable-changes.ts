import { isDeepStrictEqual } from "node:util";
import { type Environment, findEnvironment, qualifiedName } from "../../model/environment.js";
import type {
  EnvironmentChanges,
  VariableChange,
  VariableState,
} from "../../model/variable-change.js";
import { contentsOf, type Data, type ValueRecord, type VariableRecord } from "../data.js";
import { changesBetween, idOf, type RecordChange } from "../history.js";
import { renameVariable, setValues, unsetValues } from "./edit-values.js";

interface PresentVariable {
  readonly id: number;
  readonly name: string;
  readonly state: VariableState;
}

/** Rules that a change does not mention are removed. */
const NO_RULES = { optional: undefined, secret: undefined, schema: undefined };

/**
 * Applies changes. A type can change if all environments get new values.
 *
 * @throws NotFoundError, UsageError
 */
export function applyVariableChanges(data: Data, parts: readonly EnvironmentChanges[]): Data {
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

/** Returns the ids of the variables that changes define or give a value. */
export function variablesOfChanges(changes: readonly RecordChange[]): ReadonlySet<number> {
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
export function changesByEnvironment(
  data: Data,
  next: Data,
  home: Environment,
): EnvironmentChanges[] {
  const ids = variablesOfChanges(changesBetween(data, next));
  const own = data.environments.filter(({ application }) => application === home.application);
  return own.flatMap((environment) => {
    const isHome = environment.id === home.id;
    const isShown = ({ before, after, newName }: VariableChange) =>
      !isDeepStrictEqual(before?.value, after?.value) ||
      (isHome && (newName !== undefined || !isSameState(before, after)));
    const present = (each: Data) => presentIn(each, environment, ids);
    const changes = variableChanges(present(data), present(next)).filter(isShown);
    return changes.length > 0 ? { environment: qualifiedName(environment), changes } : [];
  });
}

/**
 * Matches variables by name, because one that is created again gets another id,
 * and then by id, to find renames.
 */
function variableChanges(
  before: readonly PresentVariable[],
  after: readonly PresentVariable[],
): VariableChange[] {
  const byNameOrId = new Map<string | number, PresentVariable>();
  for (const each of after) byNameOrId.set(each.name, each).set(each.id, each);
  const added = new Set(after);
  const changes = before.map(({ id, name, state }): VariableChange => {
    const same = byNameOrId.get(name) ?? byNameOrId.get(id);
    if (same) added.delete(same);
    return {
      name,
      ...(same && same.name !== name && { newName: same.name }),
      before: state,
      after: same?.state,
    };
  });
  return [
    ...changes,
    ...Array.from(added, ({ name, state }) => ({ name, before: undefined, after: state })),
  ];
}

/** A variable that does not exist equals one without a value. */
export function isSameState(a: VariableState | undefined, b: VariableState | undefined): boolean {
  return a && b ? isDeepStrictEqual(a, b) : isDeepStrictEqual(a?.value, b?.value);
}

export function statesByName(
  data: Data,
  environment: string,
  variables: readonly { readonly name: string }[],
) {
  const wanted = new Set(variables.map(({ name }) => name));
  const present = presentIn(data, findEnvironment(data.environments, environment), wanted);
  return new Map(present.map(({ name, state }) => [name, state]));
}

/** @param wanted the ids or the names of variables */
function presentIn(
  data: Data,
  environment: Environment,
  wanted: ReadonlySet<number | string>,
): PresentVariable[] {
  const { application, id: own } = environment;
  const isWanted = ({ id, name }: VariableRecord) => wanted.has(id) || wanted.has(name);
  // Data that was rolled back can have an older record of a value. The last one
  // is valid.
  const values = data.values.filter(({ environment_id }) => environment_id === own);
  const contents = contentsOf(values);
  const variables = data.variables.filter(
    (each) => each.application === application && isWanted(each),
  );
  return variables.map(({ id, name, application: _, ...definition }) => {
    return { id, name, state: { ...definition, value: contents.get(id) } };
  });
}
