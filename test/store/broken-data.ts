import { isDeepStrictEqual } from "node:util";
import { checkData, parseData } from "../../src/store/schema/parse-data.js";
import { edited } from "../support/data.js";

/** Stands in every secret, key and value of broken data: it must never show up in a message. */
export const MARKER = "t0p-s3cr3t";

type Change = Parameters<typeof edited>[0];

/** A fault, the change that breaks good data so, and the error message. */
export type BrokenData = [fault: string, change: Change, message: string];

/**
 * The data of test/support/data.ts with the marker wherever a secret, a key or a text value was,
 * then changed.
 */
export function marked(change: Change = () => {}): unknown {
  return edited((data) => {
    for (const environment of data.environments) {
      environment.api_key = `${MARKER}-key-${environment.id}`;
      environment.api_secret = `${MARKER}-secret-${environment.id}`;
    }
    for (const { content } of data.values) {
      if (typeof content.value === "string") content.value = `${MARKER}-value`;
    }
    change(data);
  });
}

/** Why data that was changed so is refused; fails when it is not. */
export function refusalOf(change: Change): Error {
  try {
    checkData(marked(change));
  } catch (error) {
    return error as Error;
  }
  throw new Error("not refused");
}

/** The same for a data file. */
export async function fileRefusalOf(change: Change): Promise<Error> {
  return parseData(Buffer.from(JSON.stringify(marked(change)))).then(
    () => {
      throw new Error("not refused");
    },
    (error: Error) => error,
  );
}

/** The same for a change of checked data, which shares all that it leaves alone. */
export function changeRefusalOf(change: Change): Error {
  const known = checkData(marked());
  try {
    checkData(sharing(marked(change), known), known);
  } catch (error) {
    return error as Error;
  }
  throw new Error("not refused");
}

function sharing(content: unknown, known: unknown): unknown {
  if (isDeepStrictEqual(content, known)) return known;
  if (typeof content !== "object" || content === null) return content;
  const part = (key: string) => (known as Record<string, unknown> | null | undefined)?.[key];
  if (Array.isArray(content))
    return content.map((item, index) => sharing(item, part(String(index))));
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, sharing(value, part(key))]),
  );
}

const ID_RULE = "must be a positive whole number";
const LABEL_RULE = "must be 1 to 255 characters, none of them a slash or a control character";
const CREDENTIAL_RULE = "must be 1 to 512 visible ASCII characters other than a comma";
const NAME_RULE =
  "must be 1 to 255 letters, digits, _ . or -, beginning with a letter or _ and not ending in 99914b932bd37a50b983c5e7c90ae93b";

const BAD_IDS = [0, -1, 1.5, "1", 2 ** 53, Number.NaN, null, true];
const BAD_NAMES = ["", "1A", "A B", "A/B", "A".repeat(256), "é", "..", "A\n"];
const BAD_CREDENTIALS = [
  "",
  `${MARKER},`,
  `${MARKER} `,
  `${MARKER}\n`,
  `${MARKER}\0`,
  `${MARKER}é`,
  MARKER.repeat(52),
];
const BAD_LABELS = ["", "a/b", "/", "a\n", "\0", "a\u009f", "x".repeat(256)];

/** The rules for one record and its fields. */
export const BROKEN_SHAPES: BrokenData[] = [
  ["an unknown field", (d) => Object.assign(d, { extra: MARKER }), "extra is not a known field"],
  ["a missing list of environments", (d) => delete d.environments, "environments is missing"],
  ["a missing list of variables", (d) => delete d.variables, "variables is missing"],
  ["a missing list of values", (d) => delete d.values, "values is missing"],
  ["a list that is an object", (d) => (d.values = { a: MARKER }), "values must be a list"],
  ["a list that is null", (d) => (d.variables = null), "variables must be a list"],
  [
    "a record that is a text",
    (d) => (d.environments[1] = MARKER),
    "environments[1]: must be an object",
  ],
  ["a record that is null", (d) => (d.values[8] = null), "values[8]: must be an object"],
  ["a $schema that is no text", (d) => (d.$schema = 1), "$schema must be a string"],
  ...(["environments", "variables", "values"] as const).flatMap((list): BrokenData[] => [
    [
      `an unknown field in ${list}`,
      (d) => (d[list][2].Id = MARKER),
      `${at(list, 2)}: Id is not a known field`,
    ],
    [`${list} without an id`, (d) => delete d[list][2].id, `${list}[2]: id is missing`],
    ...BAD_IDS.map((id): BrokenData => {
      const record = Number.isSafeInteger(id) ? `${list}[2] (id ${id})` : `${list}[2]`;
      return [
        `the id ${JSON.stringify(id)} in ${list}`,
        (d) => (d[list][2].id = id),
        `${record}: id ${ID_RULE}`,
      ];
    }),
  ]),
  ...missing("environments", ["name", "api_key", "api_secret"]),
  ...missing("variables", ["type", "name"]),
  ...missing("values", ["variable_id", "environment_id", "content"]),
  [
    "content without a value",
    (d) => (d.values[0].content = {}),
    "values[0] (id 12): content.value is missing",
  ],
  [
    "an unknown field in content",
    (d) => (d.values[0].content.extra = MARKER),
    "values[0] (id 12): content.extra is not a known field",
  ],
  [
    "a bare value",
    (d) => (d.values[0].content = MARKER),
    "values[0] (id 12): content must be an object",
  ],
  ...bad("values", "variable_id", BAD_IDS, ID_RULE),
  ...bad("values", "environment_id", BAD_IDS, ID_RULE),
  ...bad("variables", "name", BAD_NAMES, NAME_RULE),
  ...bad("variables", "name", ["PORT99914b932bd37a50b983c5e7c90ae93b"], NAME_RULE),
  ...bad("variables", "name", [1, null], NAME_RULE),
  ...bad(
    "variables",
    "type",
    ["string", MARKER, "", 1, null],
    "must be one of STRING, NUMBER, BOOLEAN, JSON",
  ),
  ...bad("variables", "description", [1, null], "must be a string"),
  ...bad("variables", "application", BAD_LABELS, LABEL_RULE),
  ...bad("environments", "application", BAD_LABELS, LABEL_RULE),
  ...bad("environments", "application", [null], LABEL_RULE),
  ...bad("environments", "name", BAD_LABELS, LABEL_RULE),
  ...bad("environments", "api_key", BAD_CREDENTIALS, CREDENTIAL_RULE),
  ...bad("environments", "api_secret", BAD_CREDENTIALS, CREDENTIAL_RULE),
  ...bad("environments", "api_secret", [12_345, null], CREDENTIAL_RULE),
];

/**
 * Several faults at once, of which the first is reported: in the order of the lists, their records
 * and fields.
 */
export const BROKEN_TWICE: BrokenData[] = [
  [
    "last ids and environments",
    (d) => Object.assign(d, { last_ids: { more: 1 }, environments: null }),
    "last_ids.environments is missing",
  ],
  [
    "the last environment and the first variable",
    (d) => (d.environments[3].id = d.variables[0].id = 0),
    `environments[3] (id 0): id ${ID_RULE}`,
  ],
  [
    "a variable and a missing list of values",
    (d) => {
      delete d.values;
      d.variables[7].type = MARKER;
    },
    "variables[7] (id 8): type must be one of STRING, NUMBER, BOOLEAN, JSON",
  ],
  [
    "lists that are none",
    (d) => (d.values = d.variables = { length: 1, 0: MARKER }),
    "variables must be a list",
  ],
  [
    "a value and an unknown field of the data",
    (d) => {
      d.extra = MARKER;
      d.values[8].id = 0;
    },
    `values[8] (id 0): id ${ID_RULE}`,
  ],
  [
    "two records of a list",
    (d) => (d.variables[1].description = d.variables[2].id = null),
    "variables[1] (id 1): description must be a string",
  ],
  [
    "two fields of a record and one too many",
    (d) => Object.assign(d.variables[1], { extra: MARKER, name: "", type: "" }),
    "variables[1] (id 1): type must be one of STRING, NUMBER, BOOLEAN, JSON",
  ],
  [
    "ids used twice and, later, a record's shape",
    (d) => {
      d.environments[1].id = 1;
      d.values[8].content = {};
    },
    "values[8] (id 19): content.value is missing",
  ],
];

type ListName = "environments" | "variables" | "values";

function missing(list: ListName, fields: string[]): BrokenData[] {
  return fields.map((field) => [
    `${list} without ${field}`,
    (d) => delete d[list][2][field],
    `${at(list, 2)}: ${field} is missing`,
  ]);
}

function bad(list: ListName, field: string, contents: unknown[], rule: string): BrokenData[] {
  return contents.map((content) => [
    `${list} with the ${field} ${JSON.stringify(content)?.slice(0, 20)}`,
    (d) => (d[list][3][field] = content),
    `${at(list, 3)}: ${field} ${rule}`,
  ]);
}

/** How a message calls the record: by its place and its id. */
function at(list: ListName, index: number): string {
  return `${list}[${index}] (id ${{ environments: index + 1, variables: [2, 1, 3, 4][index], values: index + 11 }[list]})`;
}
