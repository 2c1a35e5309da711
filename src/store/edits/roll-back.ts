import { NotFoundError } from "../../kit/text/errors.js";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../model/environment.js";
import { ConcurrentChangeError } from "../../model/errors.js";
import { createMatcher } from "../../model/name-matcher.js";
import {
  type Data,
  type Identified,
  mapById,
  type ValueRecord,
  type VariableRecord,
} from "../data.js";
import {
  applyRecordChanges,
  type History,
  isSameData,
  type RecordedWrite,
  writesSince,
} from "../history.js";
import { brokenValues, refuseBroken } from "../schema/value-schema.js";
import { namesOfRow, rowsBetween } from "./change-rows.js";
import { freshCredentials } from "./edit-environments.js";

interface RollBackOptions {
  /**
   * Selects variables by their names now or before. Default: all, and
   * environments.
   */
  isWanted?: ((name: string) => boolean) | undefined;
  /**
   * Limits values to one environment, and definitions to those that no other
   * uses.
   */
  environment?: EnvironmentRecord | undefined;
}

interface PlanOptions {
  /** Names and globs. */
  only?: readonly string[] | undefined;
  env?: string | undefined;
  /** Whether the rows show values that are not public. */
  showValues: boolean;
}

/**
 * Plans to restore data as it was before a change.
 *
 * @throws NotFoundError, including for a variable that has not changed since
 */
export async function planRollBack(
  history: History,
  number: number,
  { only, env, showValues }: PlanOptions,
) {
  const { data } = history;
  const changes = await writesSince(number, history.writes);
  const matcher = only && createMatcher(only);
  const environment = env === undefined ? undefined : findEnvironment(data.environments, env);
  const changed = rollBack(data, changes, { isWanted: matcher?.matches, environment });
  const rows = rowsBetween(data, changed, showValues);
  const unchanged = matcher?.unmatched(rows.flatMap(namesOfRow)) ?? [];
  if (unchanged.length > 0)
    throw new NotFoundError(`${unchanged.join(", ")} is as it was before change ${number}`);
  return {
    rows,
    refuseBroken: async (advice: string) => refuseBroken(await brokenValues(data, changed), advice),
    edit: (current: Data) => {
      if (isSameData(current, data)) return changed;
      throw new ConcurrentChangeError("the data has been changed by another program; try again");
    },
  };
}

/**
 * Returns data as it was before the last changes, newest first. An environment
 * that comes back gets new credentials.
 */
export function rollBack(
  data: Data,
  changes: readonly RecordedWrite[],
  { isWanted, environment }: RollBackOptions,
): Data {
  const old = dataBefore(data, changes);
  if (!isWanted && !environment) return old;
  const isChosen = ({ application, name }: VariableRecord) =>
    (!isWanted || isWanted(name)) && (!environment || environment.application === application);
  const chosen = new Set(
    [...old.variables, ...data.variables].filter(isChosen).map(({ id }) => id),
  );
  const isElsewhere = ({ environment_id }: ValueRecord) =>
    environment && environment.id !== environment_id;
  const values = takeOld(
    data.values,
    old.values,
    (value) => chosen.has(value.variable_id) && !isElsewhere(value),
  );
  const shared = new Set(values.filter(isElsewhere).map(({ variable_id }) => variable_id));

  // A shared variable that was removed and created again has another id.
  const oldIds = new Map(old.variables.map((variable) => [qualifiedName(variable), variable.id]));
  const newIds = new Map<number, number>();
  for (const variable of data.variables)
    if (shared.has(variable.id))
      newIds.set(oldIds.get(qualifiedName(variable)) ?? variable.id, variable.id);
  const environmentIds = new Set(data.environments.map(({ id }) => id));
  return {
    ...data,
    variables: takeOld(
      data.variables,
      old.variables,
      ({ id }) => chosen.has(id) && !shared.has(id) && !newIds.has(id),
    ),
    values: values
      .filter(({ environment_id }) => environmentIds.has(environment_id))
      .map((value) => ({
        ...value,
        variable_id: newIds.get(value.variable_id) ?? value.variable_id,
      })),
  };
}

function dataBefore(data: Data, changes: readonly RecordedWrite[]): Data {
  const undone = changes.flatMap((change) =>
    change.changes.map(({ list, before, after }) => ({ list, before: after, after: before })),
  );
  const old = applyRecordChanges(data, undone);
  const current = mapById(data.environments);
  // A history has no credentials.
  const environments = old.environments.map(({ id, application, name }) => {
    return { id, ...(current.get(id) ?? freshCredentials()), application, name };
  });
  return { ...data, ...old, environments };
}

/**
 * Returns the current records, the taken ones as they were: added, changed or
 * gone.
 */
function takeOld<T extends Identified>(
  now: readonly T[],
  old: readonly T[],
  isTaken: (record: T) => boolean,
) {
  const taken = mapById(old.filter(isTaken));
  const current = now.flatMap((record) => {
    const replacement = isTaken(record) ? (taken.get(record.id) ?? []) : record;
    taken.delete(record.id);
    return replacement;
  });
  return [...current, ...taken.values()];
}
