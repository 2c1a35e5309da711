import type { JsonValue } from "../../kit/text/strict-json.js";
import { DATA_VERSION, type Data, type VariableRecord, variableRecord } from "../data.js";
import { freshCredentials } from "../edits/edit-environments.js";

const ENVIRONMENTS = ["development", "test", "production"];

/** Example variables with a value for each environment. */
const EXAMPLES: [Pick<VariableRecord, "secret" | "type" | "name" | "description">, JsonValue[]][] =
  [
    [
      { secret: true, type: "STRING", name: "DATABASE_URL", description: "Primary database" },
      ["postgres://localhost/dev", "postgres://localhost/test", "postgres://db.internal/app"],
    ],
    [
      { secret: false, type: "NUMBER", name: "PORT", description: "Where the program listens" },
      [3000, 0, 8080],
    ],
    [
      { secret: false, type: "BOOLEAN", name: "DEBUG", description: "Log every step" },
      [true, false, false],
    ],
    [
      { secret: false, type: "JSON", name: "FLAGS", description: "Feature flags" },
      [{ beta: true }, { beta: true }, { beta: false }],
    ],
  ];

/**
 * The data of `init`: three environments with fresh random credentials.
 *
 * @param examples adds a few variables
 */
export function starterData({ examples = false } = {}): Data {
  const application = "default";
  const variables = examples ? EXAMPLES : [];
  const values = variables.flatMap(([, values], v) =>
    values.map((value, e) => ({ variable_id: v + 1, environment_id: e + 1, content: { value } })),
  );
  return {
    version: DATA_VERSION,
    environments: withIds(
      ENVIRONMENTS.map((name) => ({ application, name, ...freshCredentials() })),
    ),
    variables: variables.map(([variable], v) => variableRecord({ id: v + 1, ...variable })),
    values: withIds(values),
  };
}

function withIds<T>(records: readonly T[]): (T & { id: number })[] {
  return records.map((record, index) => ({ id: index + 1, ...record }));
}
