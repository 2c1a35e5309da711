import * as v from "valibot";
import { CREDENTIAL_PATTERN, CREDENTIAL_RULE, LABEL_PATTERN, LABEL_RULE } from "../domain/environment.js";
import { NAME_PATTERN, VARIABLE_TYPES } from "../domain/variable.js";
import { DATA_VERSION } from "./data.js";

const ID_RULE = "must be a positive whole number";
const id = v.pipe(v.number(ID_RULE), v.safeInteger(ID_RULE), v.minValue(1, ID_RULE));

const lastId = v.union([v.literal(0), id], `must be 0 or ${ID_RULE.replace("must be ", "")}`);

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
  name: v.pipe(v.string(), v.regex(NAME_PATTERN, `must match ${NAME_PATTERN.source}`)),
  description: v.optional(v.string(), ""),
});

const value = v.strictObject({
  id,
  variable_id: id,
  environment_id: id,
  content: v.strictObject({ value: v.unknown() }),
});

/** The shape of a data file; what concerns more than one record is in data-rules.ts. */
export const DATA_SCHEMA = v.strictObject({
  $schema: v.optional(v.string()),
  version: v.literal(DATA_VERSION),
  last_ids: v.optional(v.strictObject({ environments: lastId, variables: lastId, values: lastId })),
  environments: v.array(environment),
  variables: v.array(variable),
  values: v.array(value),
});
