import { isUtf8 } from "node:buffer";
import {
  allKeyPairs,
  CREDENTIAL_PATTERN,
  CREDENTIAL_RULE,
  type EnvironmentRecord,
  LABEL_PATTERN,
  LABEL_RULE,
  qualifiedName,
} from "../domain/environment.js";
import { InvalidDataError } from "../domain/errors.js";
import { JsonError, parseJson } from "../domain/strict-json.js";
import { EMPTY_OBJECT_MD5, isVariableName, NAME_PATTERN, VARIABLE_TYPES, valueFitsType } from "../domain/variable.js";
import { DATA_VERSION, type Data, type List, type ValueRecord, type VariableRecord } from "./data.js";

/**
 * Parses the bytes of a data file and fills in defaults.
 *
 * @throws InvalidDataError with the first broken rule and the record, or the line and column; never quotes the file,
 *   which is full of secrets
 */
export async function parseData(bytes: Uint8Array): Promise<Data> {
  if (!isUtf8(bytes)) throw new InvalidDataError("is not valid UTF-8");
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (text.startsWith("\uFEFF")) throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  try {
    return checkData(parseJson(text));
  } catch (error) {
    throw error instanceof JsonError ? new InvalidDataError(`is not valid JSON: ${error.message}`) : error;
  }
}

/** The rule of a field: at most one of `fields`, `items`, `least`, `oneOf` and `patterns`; none for any JSON. */
interface Rule {
  readonly isOptional?: boolean;
  /** In place of a missing one. */
  readonly otherwise?: string;
  /** An object with these fields, and no others. A copy has them in this order. */
  readonly fields?: Readonly<Record<string, Rule>>;
  /** A list of these. */
  readonly items?: Rule;
  /** A whole number. */
  readonly least?: 0 | 1;
  readonly oneOf?: readonly unknown[];
  /** A text that matches all of these. The message follows "must". */
  readonly patterns?: readonly (readonly [{ test(input: string): boolean }, message: string])[];
}

const anything: Rule = {};
const id: Rule = { least: 1 };
const lastId: Rule = { least: 0 };
const text: Rule = { patterns: [] };
const credential: Rule = { patterns: [[CREDENTIAL_PATTERN, `be ${CREDENTIAL_RULE}`]] };
const label: Rule = { patterns: [[LABEL_PATTERN, `be ${LABEL_RULE}`]] };
const keyPair = { api_key: credential, api_secret: credential };
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const isTime = (input: string) => UTC_TIME.test(input) && Number.isFinite(Date.parse(input));
const time: Rule = { patterns: [[{ test: isTime }, "be a time such as 2026-01-31T12:00:00.000Z"]] };
const previous: Rule = { items: { fields: { ...keyPair, valid_until: time } }, isOptional: true };
const application: Rule = { ...label, otherwise: "default" };
const variableName: Rule = {
  patterns: [
    [NAME_PATTERN, `match ${NAME_PATTERN.source}`],
    [{ test: isVariableName }, `not end in ${EMPTY_OBJECT_MD5}: a signature for it could be one for another name`],
  ],
};
const variable: Record<keyof VariableRecord, Rule> = {
  id,
  application,
  type: { oneOf: VARIABLE_TYPES },
  name: variableName,
  description: { ...text, otherwise: "" },
};

/** The shape of a data file, which data/appvars.schema.json describes too. */
const DATA_RULE: Rule = {
  fields: {
    $schema: { ...text, isOptional: true },
    version: anything,
    last_ids: { fields: { environments: lastId, variables: lastId, values: lastId }, isOptional: true },
    environments: { items: { fields: { id, application, name: label, ...keyPair, previous } } },
    variables: { items: { fields: variable } },
    values: {
      items: { fields: { id, variable_id: id, environment_id: id, content: { fields: { value: anything } } } },
    },
  },
};

const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/** The first broken rule, to follow the name of the field; undefined if there is none. Never quotes the input. */
function broken(rule: Rule, input: unknown): string | undefined {
  const { least, oneOf, patterns } = rule;
  if (input === undefined) return rule.isOptional || rule.otherwise !== undefined ? undefined : " is missing";
  if (rule.fields) return brokenField(rule.fields, input);
  if (rule.items) return brokenItem(rule.items, input);
  if (oneOf && !oneOf.includes(input)) return ` must be one of ${oneOf.join(", ")}`;
  if (least !== undefined && !(Number.isSafeInteger(input) && Number(input) >= least))
    return ` must be ${least === 0 ? "0 or " : ""}a positive whole number`;
  if (patterns && typeof input !== "string") return " must be of the type string";
  for (const [pattern, message] of patterns ?? []) if (!pattern.test(input as string)) return ` must ${message}`;
  return undefined;
}

function brokenField(fields: Readonly<Record<string, Rule>>, input: unknown): string | undefined {
  if (!isObject(input)) return " must be an object";
  for (const name in fields) {
    const problem = broken(fields[name] as Rule, input[name]);
    if (problem !== undefined) return `.${name}${problem}`;
  }
  for (const name in input) if (!Object.hasOwn(fields, name)) return `.${name} is not a known field`;
  return undefined;
}

function brokenItem(item: Rule, input: unknown): string | undefined {
  if (!Array.isArray(input)) return " must be of the type array";
  for (let index = 0; index < input.length; index++) {
    const problem = broken(item, input[index]);
    if (problem === undefined) continue;
    const id: unknown = input[index]?.id;
    return `[${index}]${Number.isSafeInteger(id) ? ` (id ${id})` : ""}: ${problem.slice(1)}`;
  }
  return undefined;
}

/**
 * Checks all rules of a data file (docs/data-file.md), and copies the records, with defaults filled in.
 *
 * @throws InvalidDataError that names the first broken rule and the record, never a value or a secret
 */
export function checkData(content: unknown): Data {
  if (!isObject(content)) throw new InvalidDataError("must contain one JSON object");
  if (!("version" in content)) throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content["version"] !== DATA_VERSION)
    throw new InvalidDataError(`has an unknown version; this appvars reads version ${DATA_VERSION}`);
  const problem = broken(DATA_RULE, content);
  if (problem !== undefined) throw new InvalidDataError(problem.slice(1));
  const data = copyOf(DATA_RULE, content) as Data;
  checkRelations(data);
  return data;
}

/** A copy with defaults filled in. @param input keeps the rule */
function copyOf({ otherwise, fields, items }: Rule, input: unknown): unknown {
  if (input === undefined) return otherwise;
  if (items) return (input as unknown[]).map((item) => copyOf(items, item));
  if (!fields || !isObject(input)) return input;
  const copy: Record<string, unknown> = {};
  for (const name in fields) {
    const value = copyOf(fields[name] as Rule, input[name]);
    if (value !== undefined) copy[name] = value;
  }
  return copy;
}

/**
 * Checks a record without those that it names, and copies it with defaults filled in.
 *
 * @throws InvalidDataError that names the broken rule, never a value or a secret
 */
export function checkRecord(list: List, record: unknown): { readonly id: number } {
  const rule = DATA_RULE.fields?.[list]?.items as Rule;
  const problem = broken(rule, record);
  if (problem !== undefined) throw new InvalidDataError(`${list}${problem}`);
  return copyOf(rule, record) as { readonly id: number };
}

/** Checks the records together: each key is of one of them, and those that they name exist. @throws InvalidDataError */
function checkRelations({ environments, variables, values }: Data): void {
  const environmentIds = checkUnique("environments", environments, "id", idOf);
  // A key identifies one environment, whether it is current or was rotated out.
  const keys = (record: EnvironmentRecord) => allKeyPairs(record).map(({ api_key }) => api_key);
  checkUnique("environments", environments, "api_key", keys);
  checkUnique("environments", environments, "name in its application", qualifiedNameOf);
  const variableIds = checkUnique("variables", variables, "id", idOf);
  checkUnique("variables", variables, "name in its application", qualifiedNameOf);
  checkUnique("values", values, "id", idOf);
  checkUnique("values", values, "variable_id and environment_id", pairOf);
  for (const [index, record] of values.entries()) {
    const variable = variables[variableIds.get(record.variable_id) ?? -1];
    const environment = environments[environmentIds.get(record.environment_id) ?? -1];
    const problem = brokenRelation(record, variable, environment);
    if (problem) throw new InvalidDataError(`${describe("values", index, record)}: ${problem}`);
  }
}

const idOf = ({ id }: Describable) => [id];
const qualifiedNameOf = (record: VariableRecord | EnvironmentRecord) => [qualifiedName(record)];
const pairOf = ({ variable_id, environment_id }: ValueRecord) => [`${variable_id} ${environment_id}`];

interface Describable {
  readonly id: number;
  readonly name?: string;
}

/**
 * @param keys of a record, none of which any record may repeat
 * @returns the index of each
 * @throws InvalidDataError
 */
function checkUnique<T extends Describable>(
  list: string,
  records: readonly T[],
  what: string,
  keys: (record: T) => readonly (string | number)[],
): Map<string | number, number> {
  const indexes = new Map<string | number, number>();
  for (const [index, record] of records.entries()) {
    for (const key of keys(record)) {
      const first = indexes.get(key);
      if (first !== undefined)
        throw new InvalidDataError(`${describe(list, index, record)}: has the same ${what} as ${list}[${first}]`);
      indexes.set(key, index);
    }
  }
  return indexes;
}

function brokenRelation(
  { variable_id, environment_id, content }: ValueRecord,
  variable: VariableRecord | undefined,
  environment: EnvironmentRecord | undefined,
): string | undefined {
  if (!variable) return `there is no variable with the id ${variable_id}`;
  if (!environment) return `there is no environment with the id ${environment_id}`;
  if (variable.application !== environment.application)
    return `its variable belongs to the application "${variable.application}", its environment to another`;
  if (valueFitsType(content.value, variable.type)) return undefined;
  return `content.value must be a ${variable.type}, like its variable "${variable.name}"`;
}

function describe(list: string, index: number, { id, name }: Describable): string {
  return `${list}[${index}] (id ${id}${name === undefined ? "" : `, "${name}"`})`;
}
