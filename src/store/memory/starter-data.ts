import type { JsonValue } from "../../kit/text/strict-json.js";
import type { VariableType } from "../../model/variable.js";
import { DATA_VERSION, type Data, variableRecord } from "../data.js";
import { freshCredentials } from "../edits/edit-environments.js";

const ENVIRONMENTS = ["development", "test", "production"];

/** Example variables with a value for each environment. */
const EXAMPLES: [
  secret: boolean,
  type: VariableType,
  name: string,
  description: string,
  values: JsonValue[],
][] = [
  [
    true,
    "STRING",
    "DATABASE_URL",
    "Primary database",
    ["postgres://localhost/dev", "postgres://localhost/test", "postgres://db.internal/app"],
  ],
  [false, "NUMBER", "PORT", "Where the program listens", [3000, 0, 8080]],
  [false, "BOOLEAN", "DEBUG", "Log every step", [true, false, false]],
  [false, "JSON", "FLAGS", "Feature flags", [{ beta: true }, { beta: true }, { beta: false }]],
];

/**
 * The data of `init`: three environments with fresh random credentials.
 *
 * @param examples adds a few variables
 */
export function starterData({ examples = false } = {}): Data {
  const application = "default";
  const variables = examples ? EXAMPLES : [];
  const values = variables.flatMap(([, , , , values], v) =>
    values.map((value, e) => ({ variable_id: v + 1, environment_id: e + 1, content: { value } })),
  );
  return {
    version: DATA_VERSION,
    environments: withIds(
      ENVIRONMENTS.map((name) => ({ application, name, ...freshCredentials() })),
    ),
    variables: variables.map(([secret, type, name, description], v) =>
      variableRecord({ id: v + 1, application, type, name, description, secret }),
    ),
    values: withIds(values),
  };
}

function withIds<T>(records: readonly T[]): (T & { id: number })[] {
  return records.map((record, index) => ({ id: index + 1, ...record }));
}
