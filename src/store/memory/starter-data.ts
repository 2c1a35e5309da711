import type { JsonValue } from "../../kit/text/strict-json.js";
import { type Data, NO_DATA } from "../data.js";
import { addEnvironment, freshCredentials } from "../edits/edit-environments.js";
import { type Assignment, setValues } from "../edits/edit-values.js";

const ENVIRONMENTS = ["development", "test", "production"];

/** Example variables with a value for each environment. */
const EXAMPLES: [Omit<Assignment, "value">, JsonValue[]][] = [
  [
    { type: "STRING", name: "DATABASE_URL", description: "Primary database" },
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
 * Makes the data of `init`: three environments with fresh random credentials.
 *
 * @param examples adds a few variables
 */
export function starterData({ examples = false } = {}): Data {
  let data = NO_DATA;
  for (const name of ENVIRONMENTS)
    data = addEnvironment(data, { application: "default", name }, freshCredentials());
  for (const [variable, values] of examples ? EXAMPLES : [])
    for (const [index, environment] of data.environments.entries())
      data = setValues(data, environment, [{ ...variable, value: values[index] }]);
  return data;
}
