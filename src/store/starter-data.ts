import { randomBytes } from "node:crypto";
import type { KeyPair } from "../domain/environment.js";
import type { JsonValue, Variable } from "../domain/variable.js";
import { DATA_VERSION, type Data } from "./data.js";

const ENVIRONMENTS = ["development", "test", "production"];

const VARIABLES: (Omit<Variable, "id"> & { values: JsonValue[] })[] = [
  {
    type: "STRING",
    name: "DATABASE_URL",
    description: "Primary database",
    values: ["postgres://localhost/dev", "postgres://localhost/test", "postgres://db.internal/app"],
  },
  { type: "NUMBER", name: "PORT", description: "Where the program listens", values: [3000, 0, 8080] },
  { type: "BOOLEAN", name: "DEBUG", description: "Log every step", values: [true, false, false] },
  {
    type: "JSON",
    name: "FLAGS",
    description: "Feature flags",
    values: [{ beta: true }, { beta: true }, { beta: false }],
  },
];

/** What `init` starts with: three environments with fresh random credentials and a few variables. */
export function starterData(): Data {
  const variables = VARIABLES.map(({ values, ...variable }, index) => ({ id: index + 1, ...variable }));
  const environments = ENVIRONMENTS.map((name, index) => ({ id: index + 1, name, ...freshCredentials() }));
  const values = VARIABLES.flatMap((variable, v) =>
    variable.values.map((value, e) => ({ variable_id: v + 1, environment_id: e + 1, content: { value } })),
  ).map((record, index) => ({ id: index + 1, ...record }));
  const application = "default";
  return {
    version: DATA_VERSION,
    environments: environments.map((environment) => ({ ...environment, application })),
    variables: variables.map((variable) => ({ ...variable, application })),
    values,
  };
}

/** A key of 128 random bits and a secret of 256, in hex so that they need no quoting anywhere. */
export function freshCredentials(): KeyPair {
  return { api_key: randomBytes(16).toString("hex"), api_secret: randomBytes(32).toString("hex") };
}
