import { type EnvironmentRecord, qualifiedName } from "../domain/environment.js";
import { NotFoundError, UsageError } from "../domain/errors.js";
import { suggestion } from "../domain/nearest.js";
import {
  checkVariableName,
  type Definition,
  isEncrypted,
  type JsonValue,
  type VariableType,
  valueFitsType,
} from "../domain/variable.js";
import { type Data, nextId, type ValueRecord, type VariableRecord, variableRecord } from "./data.js";

/** A field of the definition that is missing is unchanged. */
export interface Assignment extends Partial<Definition> {
  name: string;
  /** Undefined: only the definition of the variable is set, and a value that it has is kept. */
  value: JsonValue | undefined;
  /** Also changes the type of an existing variable. */
  type: VariableType;
}

/**
 * Sets these values in the environment, and creates variables that don't exist.
 *
 * @throws UsageError for an invalid name, a value that does not fit its type, or a type that the variable's value in
 *   another environment does not fit
 */
export function setValues(data: Data, environment: EnvironmentRecord, assignments: readonly Assignment[]): Data {
  const { application } = environment;
  const variables = new Map(data.variables.map((variable) => [variable.id, variable]));
  const values = new Map(data.values.map((value) => [value.id, value]));
  const idsByName = variableIds(data, application);
  const valueIds = new Map(valuesOf(data, environment).map((value) => [value.variable_id, value.id]));
  let [freeVariableId, freeValueId] = [nextId(data, "variables"), nextId(data, "values")];

  for (const { name, value, ...definition } of assignments) {
    const { type } = definition;
    checkVariableName(name);
    if (value !== undefined && !valueFitsType(value, type))
      throw new UsageError(`the value for ${name} is not a ${type}`);
    const id = idsByName.get(name) ?? freeVariableId++;
    const known = variables.get(id);
    if (known && known.type !== type) checkOtherValues(data, environment, known, type);
    idsByName.set(name, id);
    variables.set(id, variableRecord({ ...known, ...definition, id, application, name }));
    if (value === undefined) continue;
    const valueId = valueIds.get(id) ?? freeValueId++;
    if (isEncrypted(values.get(valueId)?.content.value) && !isEncrypted(value)) {
      throw new UsageError(`${name} is encrypted here: encrypt the new value too (--encrypt), or unset it first`);
    }
    valueIds.set(id, valueId);
    values.set(valueId, { id: valueId, variable_id: id, environment_id: environment.id, content: { value } });
  }
  return { ...data, variables: [...variables.values()], values: [...values.values()] };
}

/**
 * Removes these values from the environment, and definitions that are left without a value in any environment.
 *
 * @throws NotFoundError that lists the names without a value there
 */
export function unsetValues(data: Data, environment: EnvironmentRecord, names: readonly string[]): Data {
  const idsByName = variableIds(data, environment.application);
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

function checkOtherValues(data: Data, { id }: EnvironmentRecord, variable: VariableRecord, type: VariableType): void {
  const others = data.values.filter((value) => value.variable_id === variable.id && value.environment_id !== id);
  if (others.every(({ content }) => valueFitsType(content.value, type))) return;
  throw new UsageError(`${variable.name} can't become a ${type}: its value in another environment is not a ${type}`);
}

function variableIds(data: Data, application: string): Map<string, number> {
  const own = data.variables.filter((variable) => variable.application === application);
  return new Map(own.map(({ name, id }) => [name, id]));
}

function valuesOf(data: Data, environment: EnvironmentRecord): ValueRecord[] {
  return data.values.filter((value) => value.environment_id === environment.id);
}
