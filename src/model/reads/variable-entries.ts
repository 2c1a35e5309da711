import { ServerError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { InconsistentAnswersError } from "../errors.js";
import {
  type NamedValue,
  type ValueRules,
  type Variable,
  type VariableValue,
  valueFitsType,
} from "../variable.js";
import { readAll } from "./page.js";
import type { ValuesByName, VariableReader } from "./read.js";

/** A variable, and its value record if it has one in this environment. */
export interface VariableEntry {
  readonly variable: Variable;
  readonly value: VariableValue | undefined;
  /** The result of `rulesOf`, if the caller needs it. */
  readonly rules?: ValueRules | undefined;
}

export async function readVariableEntries(reader: VariableReader): Promise<VariableEntry[]> {
  const variables = await readAll((page) => reader.listVariables(page));
  const values = await readAll((page) => reader.listValues(page));
  return joinValues(variables, checkConsistency(variables, values));
}

export function withRules(
  entries: readonly VariableEntry[],
  reader: VariableReader,
): VariableEntry[] {
  return entries.map((entry) => {
    const rules = reader.rulesOf(entry.variable.id);
    return rules ? { ...entry, rules } : entry;
  });
}

/**
 * Checks two whole lists, and returns the values `byVariableId`.
 *
 * @throws InconsistentAnswersError
 */
export function checkConsistency(
  variables: readonly Variable[],
  values: readonly VariableValue[],
): ReadonlyMap<number, VariableValue> {
  const names = new Set(variables.map(({ name }) => name));
  if (names.size < variables.length)
    throw new InconsistentAnswersError("the server lists two variables with the same name");
  const ids = new Set(variables.map(({ id }) => id));
  if (!values.every(({ variable_id }) => ids.has(variable_id)))
    throw new InconsistentAnswersError("the server lists a value without its variable");
  const joined = byVariableId(values);
  if (joined.size < values.length)
    throw new InconsistentAnswersError("the server lists two values of the same variable");
  return joined;
}

export function byVariableId(values: readonly VariableValue[]): Map<number, VariableValue> {
  const joined = new Map<number, VariableValue>();
  for (const value of values) joined.set(value.variable_id, value);
  return joined;
}

/**
 * @param values by the ids of their variables
 * @throws ServerError for a value that is not of its variable's type
 */
export function joinValues(
  variables: readonly Variable[],
  values: ReadonlyMap<number, VariableValue>,
): VariableEntry[] {
  return variables.map((variable) => {
    const value = values.get(variable.id);
    checkType(variable, value?.content.value);
    return { variable, value };
  });
}

export function valuesByName(entries: readonly VariableEntry[]): ValuesByName {
  return Object.fromEntries(namedValues(entries).map(({ name, value }) => [name, value]));
}

export function namedValues(entries: readonly VariableEntry[]): NamedValue[] {
  const values: NamedValue[] = [];
  for (const { variable, value, rules } of entries)
    if (value)
      values.push({ name: variable.name, type: variable.type, value: value.content.value, rules });
  return values;
}

/** @throws ServerError for a value that no data file can contain */
export function checkType({ name, type }: Variable, value: JsonValue | undefined): void {
  if (value === undefined || valueFitsType(value, type)) return;
  throw new ServerError(`the server sends a value for ${name} that is not a ${type}`, 200);
}
