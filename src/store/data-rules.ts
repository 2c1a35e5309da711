import { allKeyPairs, type EnvironmentRecord } from "../domain/environment.js";
import { InvalidDataError } from "../domain/errors.js";
import { valueFitsType } from "../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "./data.js";
import { byId, findById } from "./sorted.js";

/**
 * The rules that a shape can't express: what must be unique, and what must fit together.
 *
 * @throws InvalidDataError that names the record and the rule, never a value or a secret
 */
export function checkRules({ environments, variables, values }: Data): void {
  const environmentsById = checkSorted("environments", environments, "id", byId);
  // A key names one environment, be it the pair in use or one that was rotated out.
  checkUnique("environments", environments, "api_key", (e) => allKeyPairs(e).map((pair) => pair.api_key));
  checkNames("environments", environments);
  const variablesById = checkSorted("variables", variables, "id", byId);
  checkNames("variables", variables);
  checkSorted("values", values, "id", byId);
  checkSorted("values", values, "variable_id and environment_id", byPlace);
  checkValues(values, variablesById, environmentsById);
}

interface Describable {
  readonly id: number;
  readonly name?: string;
}

interface NamedRecord extends Describable {
  readonly application: string;
  readonly name: string;
}

/**
 * No two records may be equal in this order. Mostly they are in it already, and to see that takes less time and memory
 * than a Map of their keys.
 *
 * @returns the records in this order
 */
function checkSorted<T extends Describable>(
  list: string,
  records: readonly T[],
  what: string,
  order: (a: T, b: T) => number,
): readonly T[] {
  const sorted = records.toSorted(order);
  const repeats = new Set(sorted.filter((record, index) => index > 0 && order(sorted[index - 1] as T, record) === 0));
  const repeat = records.find((record) => repeats.has(record));
  if (repeat === undefined) return sorted;
  const first = records.findIndex((record) => order(record, repeat) === 0);
  throw repeated(list, records.indexOf(repeat), repeat, what, first);
}

function byPlace(a: ValueRecord, b: ValueRecord): number {
  return a.variable_id - b.variable_id || a.environment_id - b.environment_id;
}

function checkNames(list: string, records: readonly NamedRecord[]): void {
  const keys = ({ name }: NamedRecord) => [name];
  checkUnique(list, records, "name in its application", keys, (record) => record.application);
}

/** No two records of one scope may share one of their keys, nor a record have one twice. */
function checkUnique<T extends Describable>(
  list: string,
  records: readonly T[],
  what: string,
  keys: (record: T) => readonly string[],
  scope: (record: T) => string = () => list,
): void {
  const scopes = new Map<string, Map<string, number>>();
  for (const [index, record] of records.entries()) {
    const seen = scopes.get(scope(record)) ?? new Map<string, number>();
    scopes.set(scope(record), seen);
    for (const key of keys(record)) {
      const first = seen.get(key);
      if (first !== undefined) throw repeated(list, index, record, what, first);
      seen.set(key, index);
    }
  }
}

function checkValues(
  values: readonly ValueRecord[],
  variablesById: readonly VariableRecord[],
  environmentsById: readonly EnvironmentRecord[],
): void {
  for (const [index, record] of values.entries()) {
    const variable = findById(variablesById, record.variable_id);
    const environment = findById(environmentsById, record.environment_id);
    const rule = brokenRule(record, variable, environment);
    if (rule) throw new InvalidDataError(`${describe("values", index, record)}: ${rule}`);
  }
}

function repeated(list: string, index: number, record: Describable, what: string, first: number): InvalidDataError {
  return new InvalidDataError(`${describe(list, index, record)}: has the same ${what} as ${list}[${first}]`);
}

function brokenRule(
  record: ValueRecord,
  variable: VariableRecord | undefined,
  environment: EnvironmentRecord | undefined,
): string | undefined {
  if (!variable) return `there is no variable with the id ${record.variable_id}`;
  if (!environment) return `there is no environment with the id ${record.environment_id}`;
  if (variable.application !== environment.application) {
    return `its variable is of the application "${variable.application}", its environment of another`;
  }
  if (valueFitsType(record.content.value, variable.type)) return undefined;
  return `content.value must be a ${variable.type}, as its variable "${variable.name}" is`;
}

function describe(list: string, index: number, { id, name }: Describable): string {
  return `${list}[${index}] (id ${id}${name === undefined ? "" : `, "${name}"`})`;
}
