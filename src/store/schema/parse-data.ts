import { isUtf8 } from "node:buffer";
import { InvalidDataError } from "../../kit/text/errors.js";
import { applyRule, type BrokenRule, isObject, pathText } from "../../kit/text/rules.js";
import { JsonError, parseJson } from "../../kit/text/strict-json.js";
import { allKeyPairs, type EnvironmentRecord } from "../../model/environment.js";
import { NeedsSealKeyError } from "../../model/seal-key.js";
import { isPublic, isSealedText, valueFitsType } from "../../model/variable.js";
import {
  DATA_VERSION,
  type Data,
  type Identified,
  type ListName,
  type ValueRecord,
  type VariableRecord,
} from "../data.js";
import { DATA_RULE, RECORD_RULES } from "./data-rules.js";
import { GIT_CONFIG } from "./git-config.js";

/**
 * Opens checked content, sealed or not.
 *
 * @throws InvalidDataError without a subject
 */
export type OpenContent = (content: Data) => Data | Promise<Data>;

const refuseSealed: OpenContent = (content) => {
  if (content.sealed) throw new NeedsSealKeyError();
  return content;
};

/**
 * Parses a data file and fills in defaults.
 *
 * @param open default: a sealed file is refused
 * @throws InvalidDataError as `parseStoredText` and `checkData`
 */
export function parseData(bytes: Uint8Array, open = refuseSealed): Promise<Data> {
  // In steps, so that the bytes and then the text are released: each is as
  // large as the data.
  const parsing = Promise.resolve(bytes).then(decodeStoredText).then(parseStoredText);
  return parsing.then(checkData).then(open);
}

/** @throws InvalidDataError without a subject */
export function decodeStoredText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new InvalidDataError("is not valid UTF-8");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** @throws InvalidDataError without a subject that never quotes the text */
export function parseStoredText(text: string): unknown {
  if (text.startsWith("\uFEFF"))
    throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const advice =
      error.kind === "conflict marker"
        ? `; to merge by names, run ${GIT_CONFIG}, then git checkout -m with the file`
        : "";
    throw new InvalidDataError(`is not valid JSON: ${error.message}${advice}`);
  }
}

/**
 * Checks all rules of a data file (docs/data-file.md), and fills in defaults.
 *
 * @param checked data that was checked before: what both share is not checked
 *   again
 * @returns the content itself if it is complete, otherwise a copy
 * @throws InvalidDataError with the record and the first broken rule, and no
 *   value
 */
export function checkData(content: unknown, checked?: Data): Data {
  if (!isObject(content)) throw new InvalidDataError("must contain one JSON object");
  if (!("version" in content))
    throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content["version"] !== DATA_VERSION)
    throw new InvalidDataError(
      `has an unknown version; this appvars reads version ${DATA_VERSION}`,
    );
  const data = applyRule<Data>(
    DATA_RULE,
    content,
    (broken) => brokenRuleError(broken, content),
    checked,
  );
  checkRelations(data);
  return data;
}

/** Returns an error such as `variables[3] (id 4): name is missing`. */
function brokenRuleError(
  { path, rule }: BrokenRule,
  content: Record<string, unknown>,
): InvalidDataError {
  const [list = "", index, ...fields] = path;
  if (typeof index !== "number") return new InvalidDataError(`${pathText(path)} ${rule}`);
  const { id } = Object((content[list] as unknown[])[index]);
  const record = `${pathText([list, index])}${Number.isSafeInteger(id) ? ` (id ${id})` : ""}`;
  return new InvalidDataError(`${record}: ${`${pathText(fields)} ${rule}`.trimStart()}`);
}

/**
 * Checks one record, not those that it refers to, and fills in defaults.
 *
 * @throws InvalidDataError
 */
export function checkRecord(list: ListName, record: unknown): Identified {
  const toError = ({ path, rule }: BrokenRule) =>
    new InvalidDataError(`${pathText([list, ...path])} ${rule}`);
  return applyRule(RECORD_RULES[list], record, toError);
}

/**
 * Checks that no two records have the same key, and that the records they refer
 * to exist.
 */
function checkRelations(data: Data): void {
  const environments = checkUnique(data, "environments", "id");
  checkKeys(data);
  checkUnique(data, "environments", "name", "application");
  const variables = checkUnique(data, "variables", "id");
  checkUnique(data, "variables", "name", "application");
  // Ascending ids are unique: a map would take a fifth of the check's time.
  if (!data.values.every(({ id }, index) => id > (data.values[index - 1]?.id ?? 0)))
    checkUnique(data, "values", "id");
  checkUnique(data, "values", "variable_id", "environment_id");
  for (const value of data.values) {
    const variable = variables.get(value.variable_id);
    const environment = environments.get(value.environment_id);
    const problem = valueProblem(value, data.sealed, variable, environment);
    if (problem !== undefined) throw recordError(data, "values", value, problem);
  }
}

/** Checks that each API key, current or rotated out, identifies one environment. */
function checkKeys(data: Data): void {
  const holders = new Map<string, EnvironmentRecord>();
  for (const environment of data.environments) {
    const { keys = [] } = environment;
    const refuse = (problem: string) => recordError(data, "environments", environment, problem);
    if (new Set(keys.map(({ name }) => name)).size < keys.length)
      throw refuse("two keys have the same name");
    for (const { api_key, api_secret } of [environment, ...keys].flatMap(allKeyPairs)) {
      const problem = sealProblem(api_secret, data.sealed);
      if (problem !== undefined) throw refuse(`api_secret ${problem}`);
      const holder = holders.get(api_key);
      if (holder)
        throw refuse(`has the same api_key as environments[${data.environments.indexOf(holder)}]`);
      holders.set(api_key, environment);
    }
  }
}

type DataRecord = Data[ListName][number];

/** Names for messages. A pair of fields is unique together. */
const UNIQUE = {
  id: "id",
  name: "name in its application",
  variable_id: "variable_id and environment_id",
};

/**
 * Checks that no two records, of the same group if there are groups, share the
 * content of a field.
 *
 * @returns the records of the last group by the field
 */
function checkUnique<L extends ListName>(
  data: Data,
  list: L,
  field: keyof typeof UNIQUE & keyof Data[L][number],
  group?: keyof Data[L][number],
): ReadonlyMap<unknown, Data[L][number]> {
  const records = data[list] as readonly Data[L][number][];
  const groups = new Map<unknown, Map<unknown, Data[L][number]>>();
  let holders = new Map<unknown, Data[L][number]>();
  for (const record of records) {
    if (group) {
      holders = groups.get(record[group]) ?? new Map();
      groups.set(record[group], holders);
    }
    const holder = holders.get(record[field]);
    if (holder) {
      const problem = `has the same ${UNIQUE[field]} as ${list}[${records.indexOf(holder)}]`;
      throw recordError(data, list, record, problem);
    }
    holders.set(record[field], record);
  }
  return holders;
}

function valueProblem(
  { variable_id, environment_id, content }: ValueRecord,
  isSealed: boolean | undefined,
  variable: VariableRecord | undefined,
  environment: EnvironmentRecord | undefined,
): string | undefined {
  if (!variable) return `there is no variable with the id ${variable_id}`;
  if (!environment) return `there is no environment with the id ${environment_id}`;
  if (variable.application !== environment.application)
    return `its variable belongs to the application "${variable.application}", its environment to another`;
  const problem = sealProblem(content.value, isSealed && !isPublic(variable));
  if (problem !== undefined) return `the value of "${variable.name}" ${problem}`;
  if (valueFitsType(content.value, variable.type)) return undefined;
  return `content.value must be a ${variable.type}, like its variable "${variable.name}"`;
}

/**
 * @param expected whether it must be a sealed text
 *
 * @returns a message without a subject
 */
function sealProblem(value: unknown, expected = false): string | undefined {
  if (isSealedText(value) === expected) return undefined;
  return expected
    ? "is not sealed, but the file is: somebody without the key may have written it; restore it, and use appvars set"
    : "is sealed text, which only a sealed file may have, and no public variable";
}

function recordError(
  data: Data,
  list: ListName,
  record: DataRecord,
  problem: string,
): InvalidDataError {
  const index = (data[list] as readonly DataRecord[]).lastIndexOf(record);
  const name = "name" in record ? `, "${record.name}"` : "";
  return new InvalidDataError(`${list}[${index}] (id ${record.id}${name}): ${problem}`);
}
