import type { EnvironmentRecord } from "../domain/environment.js";
import type { Variable, VariableValue } from "../domain/variable.js";
import type { Data } from "../store/data.js";

/** One environment's part of one snapshot, sorted for lists and indexed for look-ups. */
export interface EnvironmentView {
  readonly variables: readonly Variable[];
  readonly variablesById: ReadonlyMap<number, Variable>;
  readonly values: readonly VariableValue[];
  readonly valuesById: ReadonlyMap<number, VariableValue>;
  readonly valuesByName: ReadonlyMap<string, VariableValue>;
}

/** Picks the environment's records out of the data and reduces them to the fields of the contract. */
export function buildView(data: Data, environment: EnvironmentRecord): EnvironmentView {
  const variables = data.variables
    .filter((record) => record.application === environment.application)
    .map(({ id, type, name, description }): Variable => ({ id, type, name, description }))
    .sort(byId);
  const values = data.values
    .filter((record) => record.environment_id === environment.id)
    .map(({ id, variable_id, content }): VariableValue => ({ id, variable_id, content }))
    .sort(byId);
  const variablesById = new Map(variables.map((variable) => [variable.id, variable]));
  return {
    variables,
    variablesById,
    values,
    valuesById: new Map(values.map((value) => [value.id, value])),
    valuesByName: new Map(values.map((value) => [variablesById.get(value.variable_id)?.name ?? "", value])),
  };
}

function byId(a: { id: number }, b: { id: number }): number {
  return a.id - b.id;
}
