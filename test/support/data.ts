import { byId, type Data } from "../../src/store/data.js";
import { aRecord } from "./records.js";

/**
 * Two applications: `shop` with three environments and all four types, `billing` with one
 * environment and a variable called like one of shop's. Records are out of order on purpose: lists
 * must sort them.
 */
export const DATA: Data = {
  version: 1,
  environments: [
    {
      id: 1,
      application: "shop",
      name: "development",
      api_key: "dev-key",
      api_secret: "dev-secret",
    },
    { id: 2, application: "shop", name: "test", api_key: "test-key", api_secret: "test-secret" },
    {
      id: 3,
      application: "shop",
      name: "production",
      api_key: "prod-key",
      api_secret: "prod-secret",
    },
    {
      id: 4,
      application: "billing",
      name: "development",
      api_key: "billing-key",
      api_secret: "billing-secret",
    },
  ],
  variables: [
    aRecord({ id: 2, type: "NUMBER", name: "PORT", description: "Where it listens" }),
    aRecord({ id: 1, name: "DATABASE_URL", description: "Primary database" }),
    aRecord({ id: 3, type: "BOOLEAN", name: "DEBUG" }),
    aRecord({ id: 4, type: "JSON", name: "FLAGS", description: "Feature flags" }),
    aRecord({ id: 5, name: "__proto__", description: "An ordinary name" }),
    aRecord({ id: 6, name: "EMPTY", description: "An empty text" }),
    aRecord({ id: 7, name: "UNSET", description: "Has a value in production only" }),
    aRecord({ id: 8, application: "billing", name: "DATABASE_URL", description: "Ledger" }),
  ],
  values: [
    { id: 12, variable_id: 2, environment_id: 1, content: { value: 3000 } },
    { id: 11, variable_id: 1, environment_id: 1, content: { value: "postgres://localhost/dev" } },
    { id: 13, variable_id: 3, environment_id: 1, content: { value: true } },
    { id: 14, variable_id: 4, environment_id: 1, content: { value: { beta: ["x", null, 1.5] } } },
    { id: 15, variable_id: 5, environment_id: 1, content: { value: "not a prototype" } },
    { id: 16, variable_id: 6, environment_id: 1, content: { value: "" } },
    { id: 17, variable_id: 7, environment_id: 3, content: { value: "production only" } },
    {
      id: 18,
      variable_id: 8,
      environment_id: 4,
      content: { value: "postgres://localhost/ledger" },
    },
    { id: 19, variable_id: 1, environment_id: 2, content: { value: "postgres://localhost/test" } },
  ],
};

export const DEVELOPMENT = { apiKey: "dev-key", apiSecret: "dev-secret" };

/** The same as environment variables. */
export const CREDENTIALS = {
  APPVARS_API_KEY: DEVELOPMENT.apiKey,
  APPVARS_API_SECRET: DEVELOPMENT.apiSecret,
};

/** A copy to change: `edited((data) => data.variables[0].name = "X")`. */
export function edited(change: (data: ReturnType<typeof mutableCopy>) => void): unknown {
  const copy = mutableCopy();
  change(copy);
  return copy;
}

// biome-ignore lint/suspicious/noExplicitAny: tests of broken data write values that the types forbid
function mutableCopy(): any {
  return structuredClone(DATA);
}

/** The data as a store reads it. */
export function sortedById(data: Data): Data {
  return {
    ...data,
    environments: data.environments.toSorted(byId),
    variables: data.variables.toSorted(byId),
    values: data.values.toSorted(byId),
  };
}
