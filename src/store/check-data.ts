import {
  allKeyPairs,
  CREDENTIAL_PATTERN,
  CREDENTIAL_RULE,
  type EnvironmentRecord,
  LABEL_PATTERN,
  LABEL_RULE,
} from "../domain/environment.js";
import { InvalidDataError } from "../domain/errors.js";
import {
  EMPTY_OBJECT_MD5,
  isVariableName,
  isVariableType,
  NAME_PATTERN,
  VARIABLE_TYPES,
  valueFitsType,
} from "../domain/variable.js";
import { DATA_VERSION, type Data, type ValueRecord, type VariableRecord, variableRecord } from "./data.js";

/** Returns the broken rule, to follow the name of the field; undefined if there is none. Never quotes the input. */
type Rule = (input: unknown) => string | undefined;

const rule =
  (message: string, isKept: (input: unknown) => boolean): Rule =>
  (input) => {
    if (input === undefined) return " is missing";
    return isKept(input) ? undefined : ` must ${message}`;
  };
const optional =
  (inner: Rule): Rule =>
  (input) =>
    input === undefined ? undefined : inner(input);
/** Several rules, in this order. */
const all =
  (...rules: Rule[]): Rule =>
  (input) => {
    for (const each of rules) {
      const broken = each(input);
      if (broken !== undefined) return broken;
    }
    return undefined;
  };
/** An object with these fields, and no others. */
const object =
  (fields: Readonly<Record<string, Rule>>): Rule =>
  (input) => {
    if (input === undefined) return " is missing";
    if (!isObject(input)) return " must be an object";
    for (const name in fields) {
      const broken = fields[name]?.(input[name]);
      if (broken !== undefined) return `.${name}${broken}`;
    }
    for (const name in input) if (!Object.hasOwn(fields, name)) return `.${name} is not a known field`;
    return undefined;
  };
const list =
  (item: Rule): Rule =>
  (input) => {
    if (input === undefined) return " is missing";
    if (!Array.isArray(input)) return " must be of the type array";
    for (let index = 0; index < input.length; index++) {
      const broken = item(input[index]);
      if (broken !== undefined) return `[${index}]${idText(input[index])}: ${broken.slice(1)}`;
    }
    return undefined;
  };

const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input);
const idText = (record: unknown) =>
  isObject(record) && Number.isSafeInteger(record["id"]) ? ` (id ${record["id"]})` : "";
const isId = (input: unknown) => Number.isSafeInteger(input) && Number(input) > 0;

const anything = rule("", () => true);
const string = rule("be of the type string", (input) => typeof input === "string");
/** @param isKept gets a string */
const text = (message: string, isKept: (input: string) => boolean) =>
  all(string, rule(message, isKept as (input: unknown) => boolean));
const id = rule("be a positive whole number", isId);
const lastId = rule("be 0 or a positive whole number", (input) => input === 0 || isId(input));
const credential = text(`be ${CREDENTIAL_RULE}`, (input) => CREDENTIAL_PATTERN.test(input));
const label = text(`be ${LABEL_RULE}`, (input) => LABEL_PATTERN.test(input));
const keyPair = { api_key: credential, api_secret: credential };
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const time = text(
  "be a time such as 2026-01-31T12:00:00.000Z",
  (input) => UTC_TIME.test(input) && Number.isFinite(Date.parse(input)),
);

/** The shape of a data file, which data/appvars.schema.json describes too. */
const dataRule = object({
  $schema: optional(string),
  version: anything,
  last_ids: optional(object({ environments: lastId, variables: lastId, values: lastId })),
  environments: list(
    object({
      id,
      application: optional(label),
      name: label,
      ...keyPair,
      previous: optional(list(object({ ...keyPair, valid_until: time }))),
    }),
  ),
  variables: list(
    object({
      id,
      application: optional(label),
      type: rule(`be one of ${VARIABLE_TYPES.join(", ")}`, isVariableType),
      name: all(
        text(`match ${NAME_PATTERN.source}`, (input) => NAME_PATTERN.test(input)),
        text(`not end in ${EMPTY_OBJECT_MD5}: a signature for it could be one for another name`, isVariableName),
      ),
      description: optional(string),
    } satisfies Record<keyof VariableRecord, Rule>),
  ),
  values: list(object({ id, variable_id: id, environment_id: id, content: object({ value: anything }) })),
});

/**
 * Checks all rules of a data file (docs/data-file.md), and copies the records, with defaults filled in.
 *
 * @throws InvalidDataError that names the first broken rule and the record, never a value or a secret
 */
export function checkData(content: unknown): Data {
  checkVersion(content);
  const broken = dataRule(content);
  if (broken !== undefined) throw new InvalidDataError(broken.slice(1));
  const data = withDefaults(content as Data);
  checkRelations(data);
  return data;
}

function checkVersion(content: unknown): void {
  if (!isObject(content)) throw new InvalidDataError("must contain one JSON object");
  if (!("version" in content)) throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content["version"] !== DATA_VERSION)
    throw new InvalidDataError(`has an unknown version; this appvars reads version ${DATA_VERSION}`);
}

/** A copy with the fields of records in this order. */
function withDefaults({ $schema, version, last_ids, environments, variables, values }: Data): Data {
  return {
    ...($schema !== undefined && { $schema }),
    version,
    ...(last_ids && { last_ids }),
    environments: environments.map(({ id, application = "default", name, api_key, api_secret, previous }) => {
      const record = { id, application, name, api_key, api_secret };
      return previous ? { ...record, previous } : record;
    }),
    variables: variables.map(variableRecord),
    values: values.map(({ id, variable_id, environment_id, content: { value } }) => {
      return { id, variable_id, environment_id, content: { value } };
    }),
  };
}

/** Checks the records together: each key is of one of them, and those that they name exist. @throws InvalidDataError */
function checkRelations({ environments, variables, values }: Data): void {
  const qualified = ({ application, name }: VariableRecord | EnvironmentRecord) => [`${application}/${name}`];
  checkUnique("environments", environments, "id", (each) => [each.id]);
  // A key identifies one environment, whether it is current or was rotated out.
  checkUnique("environments", environments, "api_key", (each) => allKeyPairs(each).map(({ api_key }) => api_key));
  checkUnique("environments", environments, "name in its application", qualified);
  checkUnique("variables", variables, "id", (each) => [each.id]);
  checkUnique("variables", variables, "name in its application", qualified);
  checkUnique("values", values, "id", (each) => [each.id]);
  const pair = ({ variable_id, environment_id }: ValueRecord) => [`${variable_id} ${environment_id}`];
  checkUnique("values", values, "variable_id and environment_id", pair);
  const variablesById = new Map(variables.map((variable) => [variable.id, variable]));
  const environmentsById = new Map(environments.map((environment) => [environment.id, environment]));
  for (const [index, record] of values.entries()) {
    const variable = variablesById.get(record.variable_id);
    const broken = brokenRelation(record, variable, environmentsById.get(record.environment_id));
    if (broken) throw new InvalidDataError(`${describe("values", index, record)}: ${broken}`);
  }
}

interface Describable {
  readonly id: number;
  readonly name?: string;
}

/** @param keys of a record, none of which any record may repeat @throws InvalidDataError */
function checkUnique<T extends Describable>(
  list: string,
  records: readonly T[],
  what: string,
  keys: (record: T) => readonly (string | number)[],
): void {
  const seen = new Map<string | number, number>();
  for (const [index, record] of records.entries()) {
    for (const key of keys(record)) {
      const first = seen.get(key);
      if (first !== undefined)
        throw new InvalidDataError(`${describe(list, index, record)}: has the same ${what} as ${list}[${first}]`);
      seen.set(key, index);
    }
  }
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
