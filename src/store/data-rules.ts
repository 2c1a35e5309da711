import { allKeyPairs, type EnvironmentRecord, qualifiedName } from "../domain/environment.js";
import { InvalidDataError } from "../domain/errors.js";
import { valueFitsType } from "../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "./data.js";

/**
 * The rules that a shape can't express: what must be unique, and what must fit together.
 *
 * @throws InvalidDataError that names the record and the rule, never a value or a secret
 */
export function checkRules({ environments, variables, values }: Data): void {
  checkUnique("environments", environments, "id", (e) => [e.id]);
  // A key names one environment, be it the pair in use or one that was rotated out.
  checkUnique("environments", environments, "api_key", (e) => allKeyPairs(e).map((pair) => pair.api_key));
  checkUnique("environments", environments, "name in its application", (e) => [qualifiedName(e)]);
  checkUnique("variables", variables, "id", (variable) => [variable.id]);
  checkUnique("variables", variables, "name in its application", (variable) => [qualifiedName(variable)]);
  checkUnique("values", values, "id", (value) => [value.id]);
  checkUnique("values", values, "variable_id and environment_id", (v) => [`${v.variable_id} ${v.environment_id}`]);
  checkValues({ environments, variables, values });
}

/** No two records may share one of their keys, nor a record have one twice. */
function checkUnique<T extends { id: number; name?: string }>(
  list: string,
  records: readonly T[],
  what: string,
  keys: (record: T) => readonly (string | number)[],
): void {
  const seen = new Map<string | number, number>();
  for (const [index, record] of records.entries()) {
    for (const key of keys(record)) {
      const first = seen.get(key);
      if (first !== undefined) {
        throw new InvalidDataError(`${describe(list, index, record)}: has the same ${what} as ${list}[${first}]`);
      }
      seen.set(key, index);
    }
  }
}

function checkValues({ environments, variables, values }: Omit<Data, "version">): void {
  const environmentsById = new Map(environments.map((e) => [e.id, e]));
  const variablesById = new Map(variables.map((variable) => [variable.id, variable]));
  for (const [index, record] of values.entries()) {
    const rule = brokenRule(record, variablesById.get(record.variable_id), environmentsById.get(record.environment_id));
    if (rule) throw new InvalidDataError(`${describe("values", index, record)}: ${rule}`);
  }
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

function describe(list: string, index: number, { id, name }: { id: number; name?: string }): string {
  return `${list}[${index}] (id ${id}${name === undefined ? "" : `, "${name}"`})`;
}
