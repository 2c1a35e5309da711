import { NotFoundError, UsageError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { type EnvironmentRecord, qualifiedName } from "../../model/environment.js";
import {
  type Complete,
  checkVariableName,
  type Definition,
  isEnvelope,
  parseAs,
  type ValueContent,
  type VariableType,
  valueFitsType,
} from "../../model/variable.js";
import {
  type Data,
  lastId,
  type ValueRecord,
  type VariableRecord,
  variableRecord,
  variablesOf,
} from "../data.js";
import { brokenValues, checkPlainValues } from "../schema/value-schema.js";

/** Missing fields stay unchanged. */
export interface Assignment extends Partial<Definition> {
  name: string;
  /** `undefined` to set only the definition. */
  value: JsonValue | undefined;
  /** Also changes the type of an existing variable. */
  type: VariableType;
}

type Environments = readonly EnvironmentRecord[];

/**
 * Sets values in an environment, and creates variables that don't exist.
 *
 * @param replaced environments whose old values need not fit: the caller sets
 *   them
 * @throws UsageError for an invalid name, and a type that this value or one in
 *   another environment does not fit
 */
export function setValues(
  data: Data,
  environment: EnvironmentRecord,
  assignments: readonly Assignment[],
  replaced: Environments = [environment],
): Data {
  const { application } = environment;
  const variables = variablesOf(data, application);
  const values = new Map<number, ValueRecord>();
  for (const value of data.values)
    if (value.environment_id === environment.id) values.set(value.variable_id, value);
  let [lastVariable, lastValue] = [lastId(data, "variables"), lastId(data, "values")];

  for (const { name, value, ...definition } of assignments) {
    const { type } = definition;
    checkVariableName(name);
    if (value !== undefined && !valueFitsType(value, type))
      throw new UsageError(`the value for ${name} is not a ${type}`);
    const existing = variables.get(name);
    const id = existing?.id ?? ++lastVariable;
    if (existing && existing.type !== type) checkOtherValues(data, replaced, existing, type);
    variables.set(name, variableRecord({ ...existing, ...definition, id, application, name }));
    if (value === undefined) continue;
    const old = values.get(id);
    if (isEnvelope(old?.content.value) && !isEnvelope(value))
      throw new UsageError(
        `${name} is encrypted here: encrypt the new value too (--encrypt), or unset it first`,
      );
    const content: Complete<ValueContent> = { value };
    const environment_id = environment.id;
    values.set(id, { id: old?.id ?? ++lastValue, variable_id: id, environment_id, content });
  }
  return {
    ...data,
    variables: withRecords(data.variables, variables.values()),
    values: withRecords(data.values, values.values()),
  };
}

interface SetRequest {
  name: string;
  /** The text of the new value; `undefined` to keep the value. */
  text: string | undefined;
  /** Default: the variable's type, or STRING. */
  type: VariableType | undefined;
  definition: Partial<Omit<Definition, "type">>;
  /** Encrypts the text. */
  toEnvelope: ((text: string) => JsonValue) | undefined;
}

/**
 * Sets a variable in environments of an application.
 *
 * @returns a row for each environment, and the values that break a new schema
 * @throws NotFoundError without a value and a variable
 */
export async function setVariable(data: Data, environments: Environments, change: SetRequest) {
  let changed = data;
  const rows: object[] = [];
  for (const environment of environments) {
    const result = await setIn(changed, environment, environments, change);
    changed = result.changed;
    rows.push(result.row);
  }
  const isNewSchema = change.definition.schema !== undefined;
  return { changed, rows, broken: isNewSchema ? await describeBroken(data, changed) : [] };
}

async function setIn(
  data: Data,
  environment: EnvironmentRecord,
  environments: Environments,
  { name, text, definition, toEnvelope, ...change }: SetRequest,
) {
  const { id, application } = environment;
  const variable = variablesOf(data, application).get(name);
  if (text === undefined && !variable)
    throw new NotFoundError(`there is no variable "${name}"; to read its value from stdin, add -`);
  const old = data.values.find(
    (record) => record.variable_id === variable?.id && record.environment_id === id,
  );
  const type = change.type ?? variable?.type ?? "STRING";
  const plain = text === undefined ? old?.content.value : parseAs(text, type);
  const value = text !== undefined && toEnvelope ? toEnvelope(text) : plain;
  const changed = setValues(
    data,
    environment,
    [{ ...definition, name, type, value }],
    environments,
  );
  if (toEnvelope && plain !== undefined)
    await checkPlainValues(changed, environment, [{ name, value: plain }]);
  const created = text !== undefined && !old;
  return { changed, row: { application, environment: environment.name, name, created } };
}

async function describeBroken(data: Data, changed: Data): Promise<string[]> {
  const names = new Map(data.environments.map((each) => [each.id, qualifiedName(each)]));
  return (await brokenValues(data, changed)).map(
    ({ variable: { name }, environment_id: id, rule }) => `${name} in ${names.get(id)} ${rule}`,
  );
}

/** Replaces records with the same ids, and appends new ones. */
export function withRecords<T extends { id: number }>(
  records: readonly T[],
  changed: Iterable<T>,
): T[] {
  const all = new Map<number, T>();
  for (const record of records) all.set(record.id, record);
  for (const record of changed) all.set(record.id, record);
  return [...all.values()];
}

/**
 * Removes values from environments, and definitions without any value.
 *
 * @throws NotFoundError with the names that have no value in these environments
 */
export function unsetValues(
  data: Data,
  environments: Environments,
  names: readonly string[],
): Data {
  const environmentIds = new Set(environments.map(({ id }) => id));
  const nameOf = new Map(data.variables.map(({ id, name }) => [id, name]));
  const wanted = new Set(names);
  const present = new Set<string>();
  const unset = new Set<number>();
  const values: ValueRecord[] = [];
  for (const value of data.values) {
    const name = nameOf.get(value.variable_id) ?? "";
    const isHere = environmentIds.has(value.environment_id);
    if (isHere) present.add(name);
    if (isHere && wanted.has(name)) unset.add(value.variable_id);
    else values.push(value);
  }
  const missing = names.filter((name) => !present.has(name));
  if (missing.length > 0) {
    const list = missing.map((name) => `"${name}"${suggestion(name, [...present])}`).join(", ");
    const where = environments.map(qualifiedName).join(", ");
    throw new NotFoundError(`${list} ${missing.length > 1 ? "have" : "has"} no value in ${where}`);
  }
  const stillSet = new Set(values.map(({ variable_id }) => variable_id));
  const variables = data.variables.filter(({ id }) => !unset.has(id) || stillSet.has(id));
  return { ...data, variables, values };
}

/**
 * @throws NotFoundError; UsageError for an invalid name, and for one that the
 *   application has
 */
export function renameVariable(
  data: Data,
  application: string,
  name: string,
  newName: string,
): Data {
  checkVariableName(newName);
  const variables = variablesOf(data, application);
  const renamed = variables.get(name);
  if (!renamed)
    throw new NotFoundError(
      `there is no variable "${name}"${suggestion(name, [...variables.keys()])} in ${application}`,
    );
  if (variables.has(newName))
    throw new UsageError(`${application} already has a variable ${newName}`);
  return { ...data, variables: withRecords(data.variables, [{ ...renamed, name: newName }]) };
}

function checkOtherValues(
  data: Data,
  own: Environments,
  { id, name }: VariableRecord,
  type: VariableType,
): void {
  const ownIds = new Set(own.map((environment) => environment.id));
  for (const { variable_id, environment_id, content } of data.values)
    if (variable_id === id && !ownIds.has(environment_id) && !valueFitsType(content.value, type))
      throw new UsageError(
        `${name} can't become a ${type}: its value in another environment is not a ${type}`,
      );
}
