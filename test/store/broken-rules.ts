import { type BrokenData, MARKER } from "./broken-data.js";

/** The rules that concern more than one record. */
export const BROKEN_RULES: BrokenData[] = [
  [
    "two environments of one id",
    (d) => (d.environments[2].id = 1),
    'environments[2] (id 1, "production"): has the same id as environments[0]',
  ],
  [
    "two environments of one key",
    (d) => (d.environments[3].api_key = d.environments[1].api_key),
    'environments[3] (id 4, "development"): has the same api_key as environments[1]',
  ],
  [
    "a named key with the key of another environment",
    (d) =>
      (d.environments[2].keys = [
        { name: "ana", api_key: d.environments[0].api_key, api_secret: "s" },
      ]),
    'environments[2] (id 3, "production"): has the same api_key as environments[0]',
  ],
  [
    "two named keys of one name in an environment",
    (d) =>
      (d.environments[2].keys = [
        { name: "ana", api_key: "ana-key", api_secret: "secret-of-ana" },
        { name: "ana", api_key: "other-key", api_secret: "other-secret" },
      ]),
    'environments[2] (id 3, "production"): two keys have the same name',
  ],
  [
    "two environments of one name in an application",
    (d) => (d.environments[1].name = "development"),
    'environments[1] (id 2, "development"): has the same name in its application as environments[0]',
  ],
  [
    "two variables of one id",
    (d) => (d.variables[4].id = 1),
    'variables[4] (id 1, "__proto__"): has the same id as variables[1]',
  ],
  [
    "two variables of one name in an application",
    (d) => (d.variables[3].name = "PORT"),
    'variables[3] (id 4, "PORT"): has the same name in its application as variables[0]',
  ],
  [
    "two values of one id",
    (d) => (d.values[7].id = 12),
    "values[7] (id 12): has the same id as values[0]",
  ],
  [
    "two values for one variable in one environment",
    (d) => d.values.push({ ...d.values[1], id: 99 }),
    "values[9] (id 99): has the same variable_id and environment_id as values[1]",
  ],
  [
    "a value for no variable",
    (d) => (d.values[3].variable_id = 99),
    "values[3] (id 14): there is no variable with the id 99",
  ],
  [
    "a value for no environment",
    (d) => (d.values[3].environment_id = 99),
    "values[3] (id 14): there is no environment with the id 99",
  ],
  [
    "a value across applications",
    (d) => (d.values[3].environment_id = 4),
    'values[3] (id 14): its variable belongs to the application "shop", its environment to another',
  ],
  [
    "an id that three values have, by the first of them that repeats it",
    (d) => (d.values[8].id = d.values[5].id = d.values[1].id),
    "values[5] (id 11): has the same id as values[1]",
  ],
  [
    "two ids that are used twice, by the one that is first repeated",
    (d) => {
      d.variables[7].id = 1;
      d.variables[6].id = 5;
    },
    'variables[6] (id 5, "UNSET"): has the same id as variables[4]',
  ],
  [
    "an id and a name that are used twice",
    (d) => {
      d.variables[3].name = "PORT";
      d.variables[7].id = 1;
    },
    'variables[7] (id 1, "DATABASE_URL"): has the same id as variables[1]',
  ],
  [
    "a variable's name that is used twice and a value for no variable",
    (d) => {
      d.variables[3].name = "PORT";
      d.values[0].variable_id = 99;
    },
    'variables[3] (id 4, "PORT"): has the same name in its application as variables[0]',
  ],
  ...wrongValues(1, "STRING", "DATABASE_URL", [3, true, null, {}, [MARKER]]),
  ...wrongValues(0, "NUMBER", "PORT", [
    MARKER,
    "3000",
    "",
    true,
    null,
    {},
    [3],
    10 ** 999,
    -(10 ** 999),
    Number.NaN,
  ]),
  ...wrongValues(2, "BOOLEAN", "DEBUG", [MARKER, "true", 0, 1, null, {}, [true]]),
];

function wrongValues(
  index: number,
  type: string,
  variable: string,
  values: unknown[],
): BrokenData[] {
  const id = [12, 11, 13][index];
  return values.map((value) => [
    `${String(JSON.stringify(value))} in a ${type}`,
    (d) => (d.values[index].content.value = value),
    `values[${index}] (id ${id}): content.value must be a ${type}, like its variable "${variable}"`,
  ]);
}
