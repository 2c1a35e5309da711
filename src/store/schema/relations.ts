import { InvalidDataError } from "../../kit/text/errors.js";
import { allKeyPairs, type EnvironmentRecord, qualifiedName } from "../../model/environment.js";
import { isSealedText } from "../../model/sealed-text.js";
import { isPublic, valueFitsType } from "../../model/variable.js";
import type { Data, List, ValueRecord, VariableRecord } from "../data.js";

/**
 * Checks that no two records have the same key, and that the records they refer to exist.
 *
 * @throws InvalidDataError that names the record
 */
export function checkRelations(data: Data): void {
  const { environments, variables, values } = data;
  const sealed = data.sealed ?? false;
  const environmentsById = checkUnique("environments", environments, "id", idOf);
  checkKeys(environments, sealed);
  checkUnique("environments", environments, "name in its application", qualifiedName);
  const variablesById = checkUnique("variables", variables, "id", idOf);
  checkUnique("variables", variables, "name in its application", qualifiedName);
  checkUnique("values", values, "id", idOf);
  checkUnique(
    "values",
    values,
    "variable_id and environment_id",
    ({ variable_id, environment_id }) => `${variable_id} ${environment_id}`,
  );
  for (const record of values) {
    const variable = variablesById.get(record.variable_id);
    const environment = environmentsById.get(record.environment_id);
    const problem = valueProblem(record, sealed, variable, environment);
    if (problem !== undefined) throw refusal("values", values.indexOf(record), record, problem);
  }
}

/** Checks that an API key identifies one environment, whether it is current or was rotated out. */
function checkKeys(environments: readonly EnvironmentRecord[], sealed: boolean): void {
  const owners = new Map<string, EnvironmentRecord>();
  for (const [index, environment] of environments.entries()) {
    const { keys = [] } = environment;
    const refuse = (problem: string) => refusal("environments", index, environment, problem);
    if (new Set(keys.map(({ name }) => name)).size < keys.length)
      throw refuse("two keys have the same name");
    for (const { api_key, api_secret } of [environment, ...keys].flatMap(allKeyPairs)) {
      const problem = sealProblem(api_secret, sealed);
      if (problem !== undefined) throw refuse(`api_secret ${problem}`);
      const owner = owners.get(api_key);
      if (owner) throw repeated("environments", environments, "api_key", owner, environment);
      owners.set(api_key, environment);
    }
  }
}

interface Describable {
  readonly id: number;
  readonly name?: string;
}

const idOf = ({ id }: Describable) => id;

/** @param what names the key in the error @returns the records by their keys */
function checkUnique<T extends Describable>(
  list: List,
  records: readonly T[],
  what: string,
  keyOf: (record: T) => unknown,
): ReadonlyMap<unknown, T> {
  const owners = new Map<unknown, T>();
  for (const record of records) {
    const key = keyOf(record);
    const owner = owners.get(key);
    if (owner) throw repeated(list, records, what, owner, record);
    owners.set(key, record);
  }
  return owners;
}

function repeated<T extends Describable>(
  list: List,
  records: readonly T[],
  what: string,
  owner: T,
  record: T,
): InvalidDataError {
  const problem = `has the same ${what} as ${list}[${records.indexOf(owner)}]`;
  return refusal(list, records.lastIndexOf(record), record, problem);
}

function valueProblem(
  { variable_id, environment_id, content }: ValueRecord,
  sealed: boolean,
  variable: VariableRecord | undefined,
  environment: EnvironmentRecord | undefined,
): string | undefined {
  if (!variable) return `there is no variable with the id ${variable_id}`;
  if (!environment) return `there is no environment with the id ${environment_id}`;
  if (variable.application !== environment.application)
    return `its variable belongs to the application "${variable.application}", its environment to another`;
  const problem = sealProblem(content.value, sealed && !isPublic(variable));
  if (problem !== undefined) return `the value of "${variable.name}" ${problem}`;
  if (valueFitsType(content.value, variable.type)) return undefined;
  return `content.value must be a ${variable.type}, like its variable "${variable.name}"`;
}

/** @param expected whether it must be a sealed text @returns a predicate */
function sealProblem(value: unknown, expected: boolean): string | undefined {
  if (isSealedText(value) === expected) return undefined;
  return expected
    ? "is not sealed, but the file is: somebody without the key may have written it; restore it, and use appvars set"
    : "is a sealed text, which only a sealed file may have, and not for a public variable";
}

function refusal(list: List, index: number, { id, name }: Describable, problem: string) {
  const shownName = name === undefined ? "" : `, "${name}"`;
  return new InvalidDataError(`${list}[${index}] (id ${id}${shownName}): ${problem}`);
}
