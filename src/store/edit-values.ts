import { type EnvironmentRecord, qualifiedName } from "../domain/environment.js";
import { NotFoundError, UsageError } from "../domain/errors.js";
import { suggestion } from "../domain/nearest.js";
import { isEncrypted, isVariableName, type JsonValue, type VariableType, valueFitsType } from "../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "./data.js";
import { nextId } from "./ids.js";

/** What one variable is to hold in an environment. */
export interface Assignment {
  name: string;
  value: JsonValue;
  /** Of a new variable, or to change that of one that exists. */
  type: VariableType;
  /** Left as it is, or `""` for a new variable, when undefined. */
  description?: string | undefined;
}

/**
 * Data with these values in the environment. Variables that don't exist are made.
 *
 * @throws UsageError for a bad name, a value that does not fit its type, or a type that a value in another
 *   environment does not fit
 */
export function setValues(data: Data, environment: EnvironmentRecord, assignments: readonly Assignment[]): Data {
  const { application } = environment;
  const variables = new Map(data.variables.map((variable) => [variable.id, variable]));
  const values = new Map(data.values.map((value) => [value.id, value]));
  const idsByName = new Map(variablesOf(data, application).map(({ name, id }) => [name, id]));
  const valueIds = new Map(valuesOf(data, environment).map((value) => [value.variable_id, value.id]));
  let [freeVariableId, freeValueId] = [nextId(data, "variables"), nextId(data, "values")];

  for (const { name, value, type, description } of assignments) {
    if (!isVariableName(name)) throw new UsageError(`"${name}" can't be the name of a variable`);
    if (!valueFitsType(value, type)) throw new UsageError(`the value for ${name} is no ${type}`);
    const variableId = idsByName.get(name) ?? freeVariableId++;
    const known = variables.get(variableId);
    if (known && known.type !== type) checkOtherValues(data, environment, known, type);
    idsByName.set(name, variableId);
    variables.set(variableId, {
      id: variableId,
      application,
      type,
      name,
      description: description ?? known?.description ?? "",
    });
    const valueId = valueIds.get(variableId) ?? freeValueId++;
    if (isEncrypted(values.get(valueId)?.content.value) && !isEncrypted(value)) {
      throw new UsageError(`${name} is encrypted here: encrypt the new value too (set --encrypt), or unset it first`);
    }
    valueIds.set(variableId, valueId);
    values.set(valueId, { id: valueId, variable_id: variableId, environment_id: environment.id, content: { value } });
  }
  return { ...data, variables: [...variables.values()], values: [...values.values()] };
}

/**
 * Data without these values in the environment. A definition that no environment has a value for goes too.
 *
 * @throws NotFoundError that names each one that has no value there
 */
export function unsetValues(data: Data, environment: EnvironmentRecord, names: readonly string[]): Data {
  const idsByName = new Map(variablesOf(data, environment.application).map(({ name, id }) => [name, id]));
  const set = new Set(valuesOf(data, environment).map((value) => value.variable_id));
  const missing = names.filter((name) => !set.has(idsByName.get(name) ?? 0));
  if (missing.length > 0) {
    const known = [...idsByName].flatMap(([name, id]) => (set.has(id) ? [name] : []));
    const list = missing.map((name) => `"${name}"${suggestion(name, known)}`).join(", ");
    throw new NotFoundError(`${list} ${missing.length > 1 ? "have" : "has"} no value in ${qualifiedName(environment)}`);
  }
  const unset = new Set(names.map((name) => idsByName.get(name)));
  const isUnset = (value: ValueRecord) => value.environment_id === environment.id && unset.has(value.variable_id);
  const values = data.values.filter((value) => !isUnset(value));
  const stillSet = new Set(values.map((value) => value.variable_id));
  const variables = data.variables.filter(({ id }) => !unset.has(id) || stillSet.has(id));
  return { ...data, variables, values };
}

function checkOtherValues(
  data: Data,
  environment: EnvironmentRecord,
  variable: VariableRecord,
  type: VariableType,
): void {
  const misfit = data.values.find(
    (value) =>
      value.variable_id === variable.id &&
      value.environment_id !== environment.id &&
      !valueFitsType(value.content.value, type),
  );
  if (misfit)
    throw new UsageError(`${variable.name} can't become a ${type}: it has another value in another environment`);
}

function variablesOf(data: Data, application: string): VariableRecord[] {
  return data.variables.filter((variable) => variable.application === application);
}

function valuesOf(data: Data, environment: EnvironmentRecord): ValueRecord[] {
  return data.values.filter((value) => value.environment_id === environment.id);
}
