import type { EnvironmentRecord, KeyPair } from "../domain/environment.js";
import { ChangedMeanwhileError } from "../domain/errors.js";
import type { Data, List, ValueRecord, VariableRecord } from "./data.js";
import { type Change, idOf, netChanges, type RecordedEnvironment, recordedData } from "./history.js";
import { isSameRecord, type RecordChange, type Records } from "./record-changes.js";

export interface RollBackOptions {
  /** Which variables to bring back, by their names; all, and the environments, if undefined. */
  isWanted?: ((name: string) => boolean) | undefined;
  /** Whose values to bring back, with the definitions that no other environment uses; all if undefined. */
  environment?: Pick<EnvironmentRecord, "id"> | undefined;
  /** For an environment that comes back. */
  nextPair: () => KeyPair;
}

/**
 * Data as it was before some changes, but for credentials: an environment that comes back gets new ones.
 *
 * @param changes the newest ones, newest first
 * @returns the same data if there is nothing to bring back
 * @throws ChangedMeanwhileError if they did not lead to this data
 */
export function rollBack(
  data: Data,
  changes: readonly Change[],
  { isWanted, environment, nextPair }: RollBackOptions,
): Data {
  const net = netChanges(changes);
  const present = recordsById(recordedData(data));
  for (const change of net)
    if (!isSameRecord(present[change.list].get(idOf(change)) ?? null, change.after))
      throw new ChangedMeanwhileError("the data has been changed by another program; try again");

  const records = recordsById<Data>(data);
  const undo = (change: RecordChange, before: object | null = change.before) =>
    before ? records[change.list].set(idOf(change), before as never) : records[change.list].delete(idOf(change));
  const wanted = isWanted && wantedIds(data, net, isWanted);
  const touched = new Set<number>();
  for (const change of net.filter(({ list }) => list === "values")) {
    const { variable_id, environment_id } = (change.after ?? change.before) as ValueRecord;
    if (wanted?.has(variable_id) === false || (environment && environment.id !== environment_id)) continue;
    touched.add(variable_id);
    undo(change);
  }
  const isShared = (id: number) =>
    [...records.values.values()].some(
      ({ variable_id, environment_id }) => variable_id === id && environment_id !== environment?.id,
    );
  for (const change of net.filter(({ list }) => list === "variables")) {
    const id = idOf(change);
    if (environment ? touched.has(id) && !isShared(id) : wanted?.has(id) !== false) undo(change);
  }
  for (const change of net.filter(({ list }) => list === "environments" && !isWanted && !environment)) {
    const { id, application, name } = (change.before ?? {}) as RecordedEnvironment;
    const pair = records.environments.get(id) ?? nextPair();
    undo(change, change.before && { ...{ id, application, name }, ...pair, application, name });
  }
  // Without its variable and its environment, a value can't come back.
  const values = [...records.values.values()].filter(
    (value) => records.variables.has(value.variable_id) && records.environments.has(value.environment_id),
  );
  return {
    ...data,
    environments: [...records.environments.values()],
    variables: [...records.variables.values()],
    values,
  };
}

function recordsById<T extends Records>(data: T) {
  const byId = <L extends List>(list: L) =>
    new Map<number, T[L][number]>(data[list].map((record) => [record.id, record as T[L][number]]));
  return { environments: byId("environments"), variables: byId("variables"), values: byId("values") };
}

/** The ids of the variables with a wanted name, now or before. */
function wantedIds({ variables }: Data, net: readonly RecordChange[], isWanted: (name: string) => boolean) {
  const before = net.flatMap((change) => (change.list === "variables" && change.before ? [change.before] : []));
  const named = [...variables, ...(before as VariableRecord[])];
  return new Set(named.filter(({ name }) => isWanted(name)).map(({ id }) => id));
}
