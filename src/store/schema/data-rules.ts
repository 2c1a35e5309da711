import { utcMs } from "../../kit/text/duration.js";
import {
  ANYTHING,
  COUNT,
  FLAG,
  listOf,
  object,
  oneOf,
  optional,
  POSITIVE,
  type Rule,
  TEXT,
  text,
  withCheck,
  withDefault,
} from "../../kit/text/rules.js";
import {
  CREDENTIAL_PATTERN,
  CREDENTIAL_RULE,
  type EnvironmentRecord,
  LABEL_PATTERN,
  LABEL_RULE,
  type NamedKey,
  type PreviousKeyPair,
} from "../../model/environment.js";
import { PATTERN, PATTERN_RULE } from "../../model/name-matcher.js";
import { isSealedText } from "../../model/sealed-text.js";
import {
  EMPTY_OBJECT_MD5,
  isVariableName,
  NAME_PATTERN,
  VARIABLE_TYPES,
  type ValueContent,
} from "../../model/variable.js";
import type { Data, List, ValueRecord, VariableRecord } from "../data.js";
import { schemaProblem } from "./schema-keywords.js";

const label = text(LABEL_PATTERN, `be ${LABEL_RULE}`);
const application = withDefault(label, "default");

const isTime = (input: string) => /:\d\d:\d\d/.test(input) && Number.isFinite(utcMs(input));
const time = text({ test: isTime }, "be a time such as 2026-01-31T12:00:00.000Z");

const isSecret = (input: string) => CREDENTIAL_PATTERN.test(input) || isSealedText(input);
const keyPair = {
  api_key: text(CREDENTIAL_PATTERN, `be ${CREDENTIAL_RULE}`),
  api_secret: text({ test: isSecret }, `be ${CREDENTIAL_RULE}`),
};
const previousPair: Record<keyof PreviousKeyPair, Rule> = { ...keyPair, valid_until: time };
const previous = optional(listOf(object(previousPair)));
const namedKey: Record<keyof NamedKey, Rule> = {
  name: label,
  ...keyPair,
  only: optional(listOf(text(PATTERN, `be ${PATTERN_RULE}`))),
  valid_until: optional(time),
  rotated_at: optional(time),
  previous,
};
const environment: Record<keyof EnvironmentRecord, Rule> = {
  id: POSITIVE,
  application,
  name: label,
  ...keyPair,
  previous,
  keys: optional(listOf(object(namedKey))),
};

const FORGEABLE = `must not end in ${EMPTY_OBJECT_MD5}: a signature for it could be one for another name`;
const variable: Record<keyof VariableRecord, Rule> = {
  id: POSITIVE,
  application,
  type: oneOf(VARIABLE_TYPES),
  name: withCheck(text(NAME_PATTERN, `match ${NAME_PATTERN.source}`), (name: string) =>
    isVariableName(name) ? undefined : FORGEABLE,
  ),
  description: withDefault(TEXT, ""),
  optional: optional(FLAG),
  secret: optional(FLAG),
  schema: optional(withCheck(ANYTHING, schemaProblem)),
};

const content: Record<keyof ValueContent, Rule> = { value: ANYTHING };
const value: Record<keyof ValueRecord, Rule> = {
  id: POSITIVE,
  variable_id: POSITIVE,
  environment_id: POSITIVE,
  content: object(content),
};

/** The rules of single records. */
export const RECORD_RULES: Record<List, Rule> = {
  environments: object(environment),
  variables: object(variable),
  values: object(value),
};

export const LAST_IDS = object({ environments: COUNT, variables: COUNT, values: COUNT });

const data: Record<keyof Data, Rule> = {
  $schema: optional(TEXT),
  version: ANYTHING,
  sealed: optional(oneOf([true])),
  last_ids: optional(LAST_IDS),
  history: optional(object({ entries: COUNT })),
  environments: listOf(RECORD_RULES.environments),
  variables: listOf(RECORD_RULES.variables),
  values: listOf(RECORD_RULES.values),
};

/** The shape of a data file, which data/appvars.schema.json describes too. */
export const DATA_RULE = object(data);
