import * as v from "valibot";
import {
  allKeyPairs,
  CREDENTIAL_PATTERN,
  CREDENTIAL_RULE,
  type EnvironmentRecord,
  LABEL_PATTERN,
  LABEL_RULE,
} from "../domain/environment.js";
import { InvalidDataError } from "../domain/errors.js";
import { EMPTY_OBJECT_MD5, isVariableName, NAME_PATTERN, VARIABLE_TYPES, valueFitsType } from "../domain/variable.js";
import { byId, DATA_VERSION, type Data, findById, groupBy, type ValueRecord, type VariableRecord } from "./data.js";
import { indexNames } from "./name-index.js";

const ID_RULE = "a positive whole number";
const isId = (input: unknown) => Number.isSafeInteger(input) && Number(input) > 0;
// A single step: there are more ids than anything else.
const id = v.custom<number>(isId, `must be ${ID_RULE}`);
const lastId = v.union([v.literal(0), id], `must be 0 or ${ID_RULE}`);
const credential = v.pipe(v.string(), v.regex(CREDENTIAL_PATTERN, `must be ${CREDENTIAL_RULE}`));
const label = v.pipe(v.string(), v.regex(LABEL_PATTERN, `must be ${LABEL_RULE}`));
const application = v.optional(label, "default");
const keyPair = { api_key: credential, api_secret: credential };

const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const TIME_RULE = "must be a time such as 2026-01-31T12:00:00.000Z";
const isTime = (text: string) => Number.isFinite(Date.parse(text));
const previousKeyPair = v.strictObject({
  ...keyPair,
  valid_until: v.pipe(v.string(), v.regex(UTC_TIME, TIME_RULE), v.check(isTime, TIME_RULE)),
});

const environment = v.strictObject({
  id,
  application,
  name: label,
  ...keyPair,
  previous: v.optional(v.array(previousKeyPair)),
});

const variable = v.strictObject({
  id,
  application,
  type: v.picklist(VARIABLE_TYPES, `must be one of ${VARIABLE_TYPES.join(", ")}`),
  name: v.pipe(
    v.string(),
    v.regex(NAME_PATTERN, `must match ${NAME_PATTERN.source}`),
    v.check(isVariableName, `must not end in ${EMPTY_OBJECT_MD5}: a signature for it could be one for another name`),
  ),
  description: v.optional(v.string(), ""),
});

const value = v.strictObject({
  id,
  variable_id: id,
  environment_id: id,
  content: v.strictObject({ value: v.unknown() }),
});

/** The shape of a data file, which data/appvars.schema.json describes too. Copies the lists and records. */
const COPYING_SCHEMA = dataSchema(v.array(variable), v.array(value));
/** The same, but keeps complete records instead of copying them: a large file must not be in memory twice. */
const KEEPING_SCHEMA = dataSchema(
  keepList(isUsualVariable, v.array(keepRecord(variable))),
  keepList(isUsualValue, v.array(keepRecord(value))),
);

function dataSchema(variables: v.GenericSchema, values: v.GenericSchema) {
  return v.strictObject({
    $schema: v.optional(v.string()),
    version: v.literal(DATA_VERSION),
    last_ids: v.optional(v.strictObject({ environments: lastId, variables: lastId, values: lastId })),
    environments: v.array(environment),
    variables,
    values,
  });
}

/**
 * Keeps a list of records that are all as usual. Any other list is left to `schema`, which takes five times as long: for a
 * million records 1.6 s, as long as it takes to parse them.
 */
function keepList(isUsual: (record: unknown) => boolean, schema: v.GenericSchema): v.GenericSchema {
  return v.lazy((list) => (Array.isArray(list) && list.every(isUsual) ? v.unknown() : schema));
}

/** Whether a record is complete and keeps all rules of `variable`. */
function isUsualVariable(record: unknown): boolean {
  if (!hasFields(record, 5)) return false;
  const { id, application, type, name, description } = record;
  if (!isId(id) || typeof application !== "string" || typeof name !== "string") return false;
  const isKnownType = VARIABLE_TYPES.some((known) => known === type);
  return isKnownType && typeof description === "string" && LABEL_PATTERN.test(application) && isVariableName(name);
}

/** Whether a record keeps all rules of `value`. */
function isUsualValue(record: unknown): boolean {
  if (!hasFields(record, 4)) return false;
  const { id, variable_id, environment_id, content } = record;
  return isId(id) && isId(variable_id) && isId(environment_id) && hasFields(content, 1) && "value" in content;
}

/** Whether it is an object from JSON with this number of fields. */
function hasFields(record: unknown, count: number): record is Record<string, unknown> {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return false;
  let left = count;
  // The fastest loop: `Object.keys` makes an array.
  for (const _name in record) left--;
  return left === 0;
}

/** A valid record has the same fields as its copy, except for missing defaults: fewer fields mean a missing default. */
function keepRecord(schema: v.GenericSchema): v.GenericSchema {
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset: { value: record }, config, addIssue, NEVER }) => {
      const copy = v.safeParse(schema, record, config as v.Config<v.BaseIssue<unknown>>);
      if (copy.success) return countFields(record) < countFields(copy.output) ? copy.output : record;
      const [{ message, path }] = copy.issues;
      addIssue({ message, path });
      return NEVER;
    }),
  );
}

function countFields(record: unknown): number {
  return Object.keys(record as object).length;
}

/**
 * Checks all rules of a data file (docs/data-file.md) and fills in defaults.
 *
 * @param options.isOwn whether nobody else uses the object, so that its records need not be copied
 * @throws InvalidDataError that names the first broken rule and the record, never a value or a secret
 */
export function checkData(content: unknown, { isOwn = false } = {}): Data {
  checkVersion(content);
  // valibot's own messages quote the input.
  const config = { abortEarly: true, message: describeExpectation };
  const result = v.safeParse(isOwn ? KEEPING_SCHEMA : COPYING_SCHEMA, content, config);
  if (!result.success) throw new InvalidDataError(describeIssue(result.issues[0]));
  const data = result.output as Data;
  checkRelations(data);
  return data;
}

function checkVersion(content: unknown): void {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new InvalidDataError("must contain one JSON object");
  }
  if (!("version" in content)) throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content.version !== DATA_VERSION) {
    throw new InvalidDataError(`has an unknown version; this appvars reads version ${DATA_VERSION}`);
  }
}

function describeExpectation({ expected, type }: v.BaseIssue<unknown>): string {
  if (expected === "never") return "is not a known field";
  if (type === "strict_object" && expected !== "Object") return "is missing";
  return `must be ${expected === "Object" ? "an object" : `of the type ${expected?.toLowerCase()}`}`;
}

/** `variables[3] (id 7): name must match …` */
function describeIssue(issue: v.BaseIssue<unknown>): string {
  const [list, index, ...fields] = issue.path ?? [];
  if (list === undefined || index === undefined) return `${list?.key ?? "it"} ${issue.message}`;
  const { id } = (index.value ?? {}) as { id?: unknown };
  const record = `${list.key}[${index.key}]${Number.isSafeInteger(id) ? ` (id ${id})` : ""}`;
  const field = fields.map((item) => `${item.key}`).join(".");
  return `${record}: ${field === "" ? "" : `${field} `}${issue.message}`;
}

/** Checks what must be unique, and what must fit together. @throws InvalidDataError */
function checkRelations({ environments, variables, values }: Data): void {
  const environmentsById = checkOrder("environments", environments, "id", byId);
  // A key identifies one environment, whether it is current or was rotated out.
  checkUnique("environments", environments, "api_key", (e) => allKeyPairs(e).map((pair) => pair.api_key));
  checkNames("environments", environments);
  const variablesById = checkOrder("variables", variables, "id", byId);
  checkNames("variables", variables);
  checkOrder("values", values, "id", byId);
  checkOrder("values", values, "variable_id and environment_id", byVariableAndEnvironment);
  for (const [index, record] of values.entries()) {
    const variable = findById(variablesById, record.variable_id);
    const environment = findById(environmentsById, record.environment_id);
    const rule = brokenRule(record, variable, environment);
    if (rule) throw new InvalidDataError(`${describe("values", index, record)}: ${rule}`);
  }
}

function byVariableAndEnvironment(a: ValueRecord, b: ValueRecord): number {
  return a.variable_id - b.variable_id || a.environment_id - b.environment_id;
}

interface Describable {
  readonly id: number;
  readonly name?: string;
}

/**
 * Refuses two records that compare as equal. They are mostly sorted already, which makes this faster, and smaller, than
 * a Map of their keys.
 *
 * @returns the records in this order
 */
function checkOrder<T extends Describable>(
  list: string,
  records: readonly T[],
  what: string,
  compare: (a: T, b: T) => number,
): readonly T[] {
  const sorted = records.toSorted(compare);
  const repeats = new Set(sorted.filter((record, index) => index > 0 && compare(sorted[index - 1] as T, record) === 0));
  const repeat = records.find((record) => repeats.has(record));
  if (repeat === undefined) return sorted;
  const first = records.findIndex((record) => compare(record, repeat) === 0);
  throw repeated(list, records.indexOf(repeat), repeat, what, first);
}

function checkNames(list: string, records: readonly (Describable & { application: string; name: string })[]): void {
  const groups = groupBy(records, ({ application }) => application);
  // Faster than a Map of a million names.
  const hasRepeats = [...groups.values()].some((group) => indexNames(group.map(({ name }) => name)).hasRepeats);
  if (!hasRepeats) return;
  const keys = ({ name }: { name: string }) => [name];
  checkUnique(list, records, "name in its application", keys, (record) => record.application);
}

/** Refuses two records in one scope that share a key, and a record that has a key twice. */
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
    return `its variable belongs to the application "${variable.application}", its environment to another`;
  }
  if (valueFitsType(record.content.value, variable.type)) return undefined;
  return `content.value must be a ${variable.type}, like its variable "${variable.name}"`;
}

function describe(list: string, index: number, { id, name }: Describable): string {
  return `${list}[${index}] (id ${id}${name === undefined ? "" : `, "${name}"`})`;
}
