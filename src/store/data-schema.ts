import * as v from "valibot";
import { CREDENTIAL_PATTERN, CREDENTIAL_RULE, LABEL_PATTERN, LABEL_RULE } from "../domain/environment.js";
import { NAME_PATTERN, VARIABLE_TYPES } from "../domain/variable.js";
import { DATA_VERSION } from "./data.js";

const ID_RULE = "must be a positive whole number";
// One step, for there are more of them than of anything else.
const id = v.custom<number>((input) => Number.isSafeInteger(input) && Number(input) > 0, ID_RULE);

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

/**
 * The shape of a data file; what concerns more than one record is in data-rules.ts. Of data that fits, the lists and
 * the records are copied.
 */
export const DATA_SCHEMA = dataSchema((record) => record);

/**
 * The same for data that nobody else has: its records are kept as they are, unless a default is filled in, so that a
 * large file is not in memory twice.
 */
export const OWN_DATA_SCHEMA = dataSchema(keepRecord);

function dataSchema(adapt: (record: v.GenericSchema) => v.GenericSchema) {
  return v.strictObject({
    $schema: v.optional(v.string()),
    version: v.literal(DATA_VERSION),
    last_ids: v.optional(v.strictObject({ environments: lastId, variables: lastId, values: lastId })),
    environments: v.array(adapt(environment)),
    variables: v.array(adapt(variable)),
    values: v.array(adapt(value)),
  });
}

/** What fits has no other fields than its copy, so it lacks a default when it has fewer: only records have defaults. */
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
