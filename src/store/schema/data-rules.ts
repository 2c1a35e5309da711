import { parseUtcMs } from "../../kit/text/duration.js";
import { suggestion } from "../../kit/text/nearest.js";
import {
  ANYTHING,
  BOOLEAN,
  COUNT,
  isObject,
  optional,
  POSITIVE,
  type Rule,
  rule,
  TEXT,
} from "../../kit/text/rules.js";
import {
  CREDENTIAL_PATTERN,
  CREDENTIAL_RULE,
  type EnvironmentRecord,
  NAME_PART,
  NAME_PART_RULE,
  type NamedKey,
  type PreviousKeyPair,
} from "../../model/environment.js";
import { NAME_OR_GLOB, NAME_OR_GLOB_RULE } from "../../model/name-matcher.js";
import {
  isVariableName,
  NAME_RULE,
  SEALED_PREFIX,
  VARIABLE_TYPES,
  type ValueContent,
} from "../../model/variable.js";
import type { Data, ListName, ValueRecord, VariableRecord } from "../data.js";

const namePart = rule({ text: NAME_PART, must: `be ${NAME_PART_RULE}` });
const application = { ...namePart, defaultValue: "default" };

const isTime = (input: string) => /:\d\d:\d\d/.test(input) && Number.isFinite(parseUtcMs(input));
const time = rule({
  text: { test: isTime },
  must: "be a time such as 2026-01-31T12:00:00.000Z",
});

const secret = new RegExp(`${CREDENTIAL_PATTERN.source}|^${SEALED_PREFIX}`);
const apiKey = rule({ text: CREDENTIAL_PATTERN, must: `be ${CREDENTIAL_RULE}` });
const keyPair = { api_key: apiKey, api_secret: { ...apiKey, text: secret } };
const previousPair: Record<keyof PreviousKeyPair, Rule> = { ...keyPair, valid_until: time };
const previous = optional(rule({ items: rule({ fields: previousPair }) }));
const namedKey: Record<keyof NamedKey, Rule> = {
  name: namePart,
  ...keyPair,
  only: optional(rule({ items: rule({ text: NAME_OR_GLOB, must: `be ${NAME_OR_GLOB_RULE}` }) })),
  valid_until: optional(time),
  rotated_at: optional(time),
  previous,
};
const environment: Record<keyof EnvironmentRecord, Rule> = {
  id: POSITIVE,
  application,
  name: namePart,
  ...keyPair,
  previous,
  keys: optional(rule({ items: rule({ fields: namedKey }) })),
};

const variable: Record<keyof VariableRecord, Rule> = {
  id: POSITIVE,
  application,
  type: rule({ oneOf: VARIABLE_TYPES }),
  name: rule({ text: { test: isVariableName }, must: `be ${NAME_RULE}` }),
  description: { ...TEXT, defaultValue: "" },
  optional: optional(BOOLEAN),
  secret: optional(BOOLEAN),
  schema: optional(rule({ problem: schemaProblem })),
};

const content: Record<keyof ValueContent, Rule> = { value: ANYTHING };
const value: Record<keyof ValueRecord, Rule> = {
  id: POSITIVE,
  variable_id: POSITIVE,
  environment_id: POSITIVE,
  content: rule({ fields: content }),
};

export const RECORD_RULES: Record<ListName, Rule> = {
  environments: rule({ fields: environment }),
  variables: rule({ fields: variable }),
  values: rule({ fields: value }),
};

export const LAST_IDS_RULE = rule({
  fields: { environments: COUNT, variables: COUNT, values: COUNT },
});

const data: Record<keyof Data, Rule> = {
  $schema: optional(TEXT),
  version: ANYTHING,
  sealed: optional(rule({ oneOf: [true] })),
  last_ids: optional(LAST_IDS_RULE),
  history: optional(rule({ fields: { entries: COUNT } })),
  environments: rule({ items: RECORD_RULES.environments }),
  variables: rule({ items: RECORD_RULES.variables }),
  values: rule({ items: RECORD_RULES.values }),
};

/** The shape of a data file, as in data/appvars.schema.json. */
export const DATA_RULE = rule({ fields: data });

/**
 * The maximum length of a schema as JSON, and of its patterns in steps.
 */
export const MAX_SCHEMA = 16 * 1_024;

/**
 * The keywords of a schema (docs/data-file.md), by their arguments: data, one
 * schema, several schemas by name or in a list. Checking takes time
 * proportional to the sizes of schema and value, so no keyword refers to
 * another schema.
 */
const KEYWORDS = [
  "$schema $comment title description default examples deprecated readOnly writeOnly type enum const format pattern " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems " +
    "minProperties maxProperties required",
  "additionalProperties propertyNames items not if then else",
  "properties patternProperties dependentRequired prefixItems anyOf allOf oneOf",
];

/**
 * Checks a schema, but not the arguments of keywords. Returns a message without
 * a subject if it is refused.
 */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "must be an object";
  const isLong = JSON.stringify(schema).length > MAX_SCHEMA;
  return isLong ? `must not have more than ${MAX_SCHEMA} characters` : keywordProblem(schema);
}

function keywordProblem(schema: unknown): string | undefined {
  for (const [keyword, argument] of isObject(schema) ? Object.entries(schema) : []) {
    const kind = KEYWORDS.findIndex((keywords) => keywords.split(" ").includes(keyword));
    if (kind < 0)
      return `has the keyword "${keyword}", which is not supported${suggestion(keyword, KEYWORDS.join(" ").split(" "))}`;
    if (kind === 0) continue;
    const schemas = kind === 1 ? { argument } : (argument ?? {});
    // ajv skips this name.
    if (Object.hasOwn(schemas, "__proto__"))
      return 'has the name "__proto__", which is not supported';
    const problem = Object.values(schemas).map(keywordProblem).find(Boolean);
    if (problem) return problem;
  }
  return undefined;
}
