import { isUtf8 } from "node:buffer";
import { utcMs } from "../../kit/text/duration.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { GIT_CONFIG } from "../../kit/text/shell.js";
import { JsonError, parseJson } from "../../kit/text/strict-json.js";
import {
  allKeyPairs,
  CREDENTIAL_PATTERN,
  CREDENTIAL_RULE,
  type EnvironmentRecord,
  LABEL_PATTERN,
  LABEL_RULE,
  type NamedKey,
  type PreviousKeyPair,
} from "../../model/environment.js";
import { PATTERN, PATTERN_RULE } from "../../model/name-matcher.js";
import { isSealedText, NEEDS_SEAL_KEY } from "../../model/sealed-text.js";
import {
  EMPTY_OBJECT_MD5,
  isPublic,
  isVariableName,
  NAME_PATTERN,
  VARIABLE_TYPES,
  type ValueContent,
  valueFitsType,
} from "../../model/variable.js";
import {
  DATA_VERSION,
  type Data,
  type List,
  type ValueRecord,
  type VariableRecord,
} from "../data.js";

/**
 * Opens the content of a data file, sealed or not, whose rules were checked.
 *
 * @throws InvalidDataError with a predicate
 */
export type OpenContent = (content: Data) => Data | Promise<Data>;

const refuseSealed: OpenContent = (content) => {
  if (content.sealed) throw new InvalidDataError(NEEDS_SEAL_KEY);
  return content;
};

/**
 * Parses the bytes of a data file and fills in defaults.
 *
 * @param open default: a sealed file is refused
 * @throws InvalidDataError with the first broken rule and the record, or the line and column; never
 *   quotes the file,
 *   which is full of secrets
 */
export function parseData(bytes: Uint8Array, open = refuseSealed): Promise<Data> {
  // In steps, so that the bytes and then the text are released: each is as large as the data.
  const parsing = Promise.resolve(bytes).then(decode).then(parseStoredText);
  return parsing.then((content) => open(checkData(content)));
}

/** @throws InvalidDataError with a predicate as its message */
export function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new InvalidDataError("is not valid UTF-8");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/**
 * Parses JSON that is stored.
 *
 * @throws InvalidDataError with a predicate as its message, which never quotes the text
 */
export function parseStoredText(text: string): unknown {
  if (text.startsWith("\uFEFF"))
    throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const advice = /git$/.test(error.message)
      ? `; to merge by names, run ${GIT_CONFIG}, then git checkout -m with the file`
      : "";
    throw new InvalidDataError(`is not valid JSON: ${error.message}${advice}`);
  }
}

/** Characters of a schema as compact JSON, and steps of its patterns. */
export const MAX_SCHEMA = 16 * 1_024;

/**
 * The keywords of a schema (docs/data-file.md), by their arguments: data, one schema, several
 * schemas by name or in a list. Checking takes time proportional to the size of the schema times
 * the size of the value, so no keyword refers to another schema.
 */
const KEYWORDS = [
  "$schema $comment title description default examples deprecated readOnly writeOnly type enum const format pattern " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems " +
    "minProperties maxProperties required",
  "additionalProperties propertyNames items not if then else",
  "properties patternProperties dependentRequired prefixItems anyOf allOf oneOf",
].map((keywords) => keywords.split(" "));

/**
 * Why a schema can't be in the data, to follow its name. `ValueChecker.brokenSchema` checks the
 * arguments too.
 */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return " must be an object";
  const isLong = JSON.stringify(schema).length > MAX_SCHEMA;
  return isLong ? ` must not have more than ${MAX_SCHEMA} characters` : keywordProblem(schema);
}

function keywordProblem(schema: unknown): string | undefined {
  for (const [keyword, argument] of isObject(schema) ? Object.entries(schema) : []) {
    const kind = KEYWORDS.findIndex((keywords) => keywords.includes(keyword));
    if (kind < 0)
      return ` has the keyword "${keyword}", which is not supported${suggestion(keyword, KEYWORDS.flat())}`;
    if (kind === 0) continue;
    const schemas = kind === 1 ? { argument } : (argument ?? {});
    // ajv skips this name.
    if (Object.hasOwn(schemas, "__proto__"))
      return ' has the name "__proto__", which is not supported';
    const problem = Object.values(schemas).map(keywordProblem).find(Boolean);
    if (problem) return problem;
  }
  return undefined;
}

/**
 * The rule of a field: at most one of `fields`, `items`, `least`, `oneOf`, `patterns` and
 * `problem`; none for any JSON.
 */
export interface Rule {
  readonly isOptional?: boolean;
  /** In place of a missing one. */
  readonly otherwise?: string;
  /** An object with these fields, and no others. A copy has them in this order. */
  readonly fields?: Fields;
  /** A list of these. */
  readonly items?: Rule;
  /** A whole number. */
  readonly least?: 0 | 1;
  readonly oneOf?: readonly unknown[];
  /** A text that matches all of these. The message follows "must". */
  readonly patterns?: readonly (readonly [{ test(input: string): boolean }, message: string])[];
  readonly problem?: (input: unknown) => string | undefined;
}

type Fields = Readonly<Record<string, Rule>>;

const anything: Rule = {};
const isOptional = true;
const flag: Rule = { oneOf: [true, false], isOptional };
const id: Rule = { least: 1 };
const lastId: Rule = { least: 0 };
const text: Rule = { patterns: [] };
const credential: Rule = { patterns: [[CREDENTIAL_PATTERN, `be ${CREDENTIAL_RULE}`]] };
const label: Rule = { patterns: [[LABEL_PATTERN, `be ${LABEL_RULE}`]] };
const isSecret = (input: string) => CREDENTIAL_PATTERN.test(input) || isSealedText(input);
const secret: Rule = { patterns: [[{ test: isSecret }, `be ${CREDENTIAL_RULE}`]] };
const keyPair = { api_key: credential, api_secret: secret };
const isTime = (input: string) => /:\d\d:\d\d/.test(input) && Number.isFinite(utcMs(input));
const time: Rule = { patterns: [[{ test: isTime }, "be a time such as 2026-01-31T12:00:00.000Z"]] };
const previousPair: Record<keyof PreviousKeyPair, Rule> = { ...keyPair, valid_until: time };
const previous: Rule = { items: { fields: previousPair }, isOptional };
const pattern: Rule = { patterns: [[PATTERN, `be ${PATTERN_RULE}`]] };
const optionalTime: Rule = { ...time, isOptional };
const namedKey: Record<keyof NamedKey, Rule> = {
  name: label,
  ...keyPair,
  only: { items: pattern, isOptional },
  valid_until: optionalTime,
  rotated_at: optionalTime,
  previous,
};
const keys: Rule = { items: { fields: namedKey }, isOptional };
const application: Rule = { ...label, otherwise: "default" };
const variableName: Rule = {
  patterns: [
    [NAME_PATTERN, `match ${NAME_PATTERN.source}`],
    [
      { test: isVariableName },
      `not end in ${EMPTY_OBJECT_MD5}: a signature for it could be one for another name`,
    ],
  ],
};
const variable: Record<keyof VariableRecord, Rule> = {
  id,
  application,
  type: { oneOf: VARIABLE_TYPES },
  name: variableName,
  description: { ...text, otherwise: "" },
  optional: flag,
  secret: flag,
  schema: { problem: schemaProblem, isOptional },
};

const environment: Record<keyof EnvironmentRecord, Rule> = {
  id,
  application,
  name: label,
  ...keyPair,
  previous,
  keys,
};
const content: Record<keyof ValueContent, Rule> = { value: anything };
const value: Record<keyof ValueRecord, Rule> = {
  id,
  variable_id: id,
  environment_id: id,
  content: { fields: content },
};

/** The shape of a data file, which data/appvars.schema.json describes too. */
export const DATA_RULE = {
  fields: {
    $schema: { ...text, isOptional },
    version: anything,
    sealed: { oneOf: [true], isOptional },
    last_ids: { fields: { environments: lastId, variables: lastId, values: lastId }, isOptional },
    history: { fields: { entries: { least: 0 } }, isOptional },
    environments: { items: { fields: environment } },
    variables: { items: { fields: variable } },
    values: { items: { fields: value } },
  },
} satisfies { fields: Record<keyof Data, Rule> };

export const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/** No broken rule, but defaults are missing or fields are in another order. */
const INCOMPLETE = "";

/**
 * The first broken rule, to follow the name of the field, or `INCOMPLETE`; undefined if there is
 * neither. Never quotes the input.
 *
 * @param known complete data in the same place: what is still the same is not checked again
 */
function broken(rule: Rule, input: unknown, known: unknown): string | undefined {
  const { least, oneOf, patterns, problem } = rule;
  if (input === undefined && rule.otherwise !== undefined) return INCOMPLETE;
  if (input === undefined) return rule.isOptional ? undefined : " is missing";
  if (input === known) return undefined;
  if (problem) return problem(input);
  if (rule.fields)
    return brokenField(rule.fields, input, known as Record<string, unknown> | undefined);
  if (rule.items) return brokenItem(rule.items, input, known as unknown[] | undefined);
  if (oneOf && !oneOf.includes(input)) return ` must be one of ${oneOf.join(", ")}`;
  if (least !== undefined && !(Number.isSafeInteger(input) && Number(input) >= least))
    return ` must be ${least === 0 ? "0 or " : ""}a positive whole number`;
  if (patterns && typeof input !== "string") return " must be of the type string";
  for (const [pattern, message] of patterns ?? [])
    if (!pattern.test(input as string)) return ` must ${message}`;
  return undefined;
}

function brokenField(
  fields: Fields,
  input: unknown,
  known: Record<string, unknown> | undefined,
): string | undefined {
  if (!isObject(input)) return " must be an object";
  const names = Object.keys(input);
  let [isComplete, index] = [true, 0];
  for (const name in fields) {
    const value = input[name];
    const problem = broken(fields[name] as Rule, value, known?.[name]);
    if (problem) return `.${name}${problem}`;
    if (problem === INCOMPLETE || (value !== undefined && names[index++] !== name))
      isComplete = false;
  }
  if (isComplete && index === names.length) return undefined;
  for (const name in input)
    if (!Object.hasOwn(fields, name)) return `.${name} is not a known field`;
  return INCOMPLETE;
}

function brokenItem(
  item: Rule,
  input: unknown,
  known: readonly unknown[] | undefined,
): string | undefined {
  if (!Array.isArray(input)) return " must be of the type array";
  let isComplete = true;
  for (let index = 0; index < input.length; index++) {
    const problem = broken(item, input[index], known?.[index]);
    if (problem === undefined) continue;
    isComplete = false;
    if (problem === INCOMPLETE) continue;
    const id: unknown = input[index]?.id;
    return `[${index}]${Number.isSafeInteger(id) ? ` (id ${id})` : ""}: ${problem.slice(1)}`;
  }
  return isComplete ? undefined : INCOMPLETE;
}

/**
 * Checks all rules of a data file (docs/data-file.md), and fills in defaults.
 *
 * @param known checked data that the content was made from
 * @returns the content itself if it is complete, otherwise a copy
 * @throws InvalidDataError that names the first broken rule and the record, never a value or a
 *   secret
 */
export function checkData(content: unknown, known?: Data): Data {
  if (!isObject(content)) throw new InvalidDataError("must contain one JSON object");
  if (!("version" in content))
    throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content["version"] !== DATA_VERSION)
    throw new InvalidDataError(
      `has an unknown version; this appvars reads version ${DATA_VERSION}`,
    );
  const data = completed(DATA_RULE, content, known) as Data;
  checkRelations(data);
  return data;
}

/**
 * Checks one record, not the records it refers to, and fills in defaults.
 *
 * @throws InvalidDataError that names the broken rule, never a value or a secret
 */
export function checkRecord(list: List, record: unknown): { readonly id: number } {
  return completed(DATA_RULE.fields[list].items, record, undefined, list) as {
    readonly id: number;
  };
}

/**
 * The input with defaults filled in, if it keeps the rule.
 *
 * @param place begins the message
 * @throws InvalidDataError for a broken rule
 */
export function completed(rule: Rule, input: unknown, known: unknown, place = ""): unknown {
  const problem = broken(rule, input, known);
  if (problem) throw new InvalidDataError(place === "" ? problem.slice(1) : `${place}${problem}`);
  return problem === INCOMPLETE ? copyOf(rule, input) : input;
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
 * Checks that no two records have the same key, and that the records they refer to exist.
 *
 * @throws InvalidDataError
 */
function checkRelations({ sealed, environments, variables, values }: Data): void {
  const environmentsById = checkUnique("environments", environments, "id", "id");
  // A key identifies one environment, whether it is current or was rotated out.
  const owners = new Map<string, EnvironmentRecord>();
  for (const environment of environments) {
    const { keys = [] } = environment;
    const place = () => describe("environments", environments.indexOf(environment), environment);
    if (new Set(keys.map(({ name }) => name)).size < keys.length)
      throw new InvalidDataError(`${place()}: two keys have the same name`);
    for (const { api_key, api_secret } of [environment, ...keys].flatMap(allKeyPairs)) {
      const problem = wronglySealed(api_secret, sealed === true);
      if (problem) throw new InvalidDataError(`${place()}: api_secret ${problem}`);
      const owner = owners.get(api_key);
      if (owner) throw repeated("environments", environments, "api_key", owner, environment);
      owners.set(api_key, environment);
    }
  }
  checkUnique("environments", environments, "name in its application", "name", "application");
  const variablesById = checkUnique("variables", variables, "id", "id");
  checkUnique("variables", variables, "name in its application", "name", "application");
  // Ids in order are not repeated.
  if (!values.every(({ id }, index) => id > (values[index - 1]?.id ?? 0)))
    checkUnique("values", values, "id", "id");
  checkUnique("values", values, "variable_id and environment_id", "variable_id", "environment_id");
  for (const record of values) {
    const variable = variablesById.get(record.variable_id);
    const problem = brokenRelation(
      record,
      sealed === true,
      variable,
      environmentsById.get(record.environment_id),
    );
    if (problem)
      throw new InvalidDataError(
        `${describe("values", values.indexOf(record), record)}: ${problem}`,
      );
  }
}

interface Describable {
  readonly id: number;
  readonly name?: string;
}

/**
 * Refuses a key that two records of a group have.
 *
 * @returns the last group's records by their keys
 * @throws InvalidDataError
 */
function checkUnique<T extends Describable>(
  list: List,
  records: readonly T[],
  what: string,
  key: keyof T,
  group?: keyof T,
): ReadonlyMap<unknown, T> {
  const groups = new Map<unknown, Map<unknown, T>>();
  let owners = new Map<unknown, T>();
  for (const record of records) {
    if (group) {
      owners = groups.get(record[group]) ?? new Map();
      groups.set(record[group], owners);
    }
    const owner = owners.get(record[key]);
    if (owner) throw repeated(list, records, what, owner, record);
    owners.set(record[key], record);
  }
  return owners;
}

function repeated<T extends Describable>(
  list: List,
  records: readonly T[],
  what: string,
  owner: T,
  record: T,
) {
  const place = describe(list, records.lastIndexOf(record), record);
  return new InvalidDataError(
    `${place}: has the same ${what} as ${list}[${records.indexOf(owner)}]`,
  );
}

function brokenRelation(
  { variable_id, environment_id, content }: ValueRecord,
  sealed: boolean,
  variable: VariableRecord | undefined,
  environment: EnvironmentRecord | undefined,
): string | undefined {
  if (!variable) return `there is no variable with the id ${variable_id}`;
  if (!environment) return `there is no environment with the id ${environment_id}`;
  if (variable.application !== environment.application)
    return `its variable belongs to the application "${variable.application}", its environment to another`;
  const problem = wronglySealed(content.value, sealed && !isPublic(variable));
  if (problem) return `the value of "${variable.name}" ${problem}`;
  if (valueFitsType(content.value, variable.type)) return undefined;
  return `content.value must be a ${variable.type}, like its variable "${variable.name}"`;
}

/** @param expected whether it has to be a sealed text @returns a predicate */
function wronglySealed(value: unknown, expected: boolean): string | undefined {
  if (isSealedText(value) === expected) return undefined;
  return expected
    ? "is not sealed, but the file is: somebody without the key may have written it; restore it, and use appvars set"
    : "is a sealed text, which only a sealed file has, and not for a public variable";
}

function describe(list: List, index: number, { id, name }: Describable): string {
  return `${list}[${index}] (id ${id}${name === undefined ? "" : `, "${name}"`})`;
}
