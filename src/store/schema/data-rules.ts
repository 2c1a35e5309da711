import { utcMs } from "../../kit/text/duration.js";
import {
  ANYTHING,
  COUNT,
  FLAG,
  optional,
  POSITIVE,
  type Rule,
  TEXT,
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
import type { Data, ValueRecord, VariableRecord } from "../data.js";
import { schemaProblem } from "./schema-keywords.js";

const label: Rule = { text: LABEL_PATTERN, must: `be ${LABEL_RULE}` };
const application: Rule = { ...label, otherwise: "default" };

const isTime = (input: string) => /:\d\d:\d\d/.test(input) && Number.isFinite(utcMs(input));
const time: Rule = { text: { test: isTime }, must: "be a time such as 2026-01-31T12:00:00.000Z" };

const apiKey: Rule = { text: CREDENTIAL_PATTERN, must: `be ${CREDENTIAL_RULE}` };
const isSecret = (input: string) => CREDENTIAL_PATTERN.test(input) || isSealedText(input);
const keyPair = { api_key: apiKey, api_secret: { ...apiKey, text: { test: isSecret } } };
const previousPair: Record<keyof PreviousKeyPair, Rule> = { ...keyPair, valid_until: time };
const previous = optional({ items: { fields: previousPair } });
const namedKey: Record<keyof NamedKey, Rule> = {
  name: label,
  ...keyPair,
  only: optional({ items: { text: PATTERN, must: `be ${PATTERN_RULE}` } }),
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
  keys: optional({ items: { fields: namedKey } }),
};

const variableName: Rule = {
  text: NAME_PATTERN,
  must: `match ${NAME_PATTERN.source}`,
  problem: (name: string) =>
    isVariableName(name)
      ? undefined
      : `must not end in ${EMPTY_OBJECT_MD5}: a signature for it could be one for another name`,
};
const variable: Record<keyof VariableRecord, Rule> = {
  id: POSITIVE,
  application,
  type: { oneOf: VARIABLE_TYPES },
  name: variableName,
  description: { ...TEXT, otherwise: "" },
  optional: optional(FLAG),
  secret: optional(FLAG),
  schema: optional({ problem: schemaProblem }),
};

const content: Record<keyof ValueContent, Rule> = { value: ANYTHING };
const value: Record<keyof ValueRecord, Rule> = {
  id: POSITIVE,
  variable_id: POSITIVE,
  environment_id: POSITIVE,
  content: { fields: content },
};

const lastIds = { environments: COUNT, variables: COUNT, values: COUNT };

/** The shape of a data file, which data/appvars.schema.json describes too. */
export const DATA_RULE = {
  fields: {
    $schema: optional(TEXT),
    version: ANYTHING,
    sealed: optional({ oneOf: [true] }),
    last_ids: optional({ fields: lastIds }),
    history: optional({ fields: { entries: COUNT } }),
    environments: { items: { fields: environment } },
    variables: { items: { fields: variable } },
    values: { items: { fields: value } },
  },
} satisfies { fields: Record<keyof Data, Rule> };
