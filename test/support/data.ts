import type { Data } from "../../src/store/data.js";

/**
 * Two applications: `shop` with three environments and all four types, `billing` with one environment and
 * a variable called like one of shop's. Records are out of order on purpose: lists must sort them.
 */
export const DATA: Data = {
  version: 1,
  environments: [
    { id: 1, application: "shop", name: "development", api_key: "dev-key", api_secret: "dev-secret" },
    { id: 2, application: "shop", name: "test", api_key: "test-key", api_secret: "test-secret" },
    { id: 3, application: "shop", name: "production", api_key: "prod-key", api_secret: "prod-secret" },
    { id: 4, application: "billing", name: "development", api_key: "billing-key", api_secret: "billing-secret" },
  ],
  variables: [
    { id: 2, application: "shop", type: "NUMBER", name: "PORT", description: "Where it listens" },
    { id: 1, application: "shop", type: "STRING", name: "DATABASE_URL", description: "Primary database" },
    { id: 3, application: "shop", type: "BOOLEAN", name: "DEBUG", description: "" },
    { id: 4, application: "shop", type: "JSON", name: "FLAGS", description: "Feature flags" },
    { id: 5, application: "shop", type: "STRING", name: "__proto__", description: "An ordinary name" },
    { id: 6, application: "shop", type: "STRING", name: "EMPTY", description: "An empty text" },
    { id: 7, application: "shop", type: "STRING", name: "UNSET", description: "Has a value in production only" },
    { id: 8, application: "billing", type: "STRING", name: "DATABASE_URL", description: "Ledger" },
  ],
  values: [
    { id: 12, variable_id: 2, environment_id: 1, content: { value: 3000 } },
    { id: 11, variable_id: 1, environment_id: 1, content: { value: "postgres://localhost/dev" } },
    { id: 13, variable_id: 3, environment_id: 1, content: { value: true } },
    { id: 14, variable_id: 4, environment_id: 1, content: { value: { beta: ["x", null, 1.5] } } },
    { id: 15, variable_id: 5, environment_id: 1, content: { value: "not a prototype" } },
    { id: 16, variable_id: 6, environment_id: 1, content: { value: "" } },
    { id: 17, variable_id: 7, environment_id: 3, content: { value: "production only" } },
    { id: 18, variable_id: 8, environment_id: 4, content: { value: "postgres://localhost/ledger" } },
    { id: 19, variable_id: 1, environment_id: 2, content: { value: "postgres://localhost/test" } },
  ],
};

export const DEVELOPMENT = { apiKey: "dev-key", apiSecret: "dev-secret" };

/** A copy to change: `edited((data) => data.variables[0].name = "X")`. */
export function edited(change: (data: ReturnType<typeof mutableCopy>) => void): unknown {
  const copy = mutableCopy();
  change(copy);
  return copy;
}

// biome-ignore lint/suspicious/noExplicitAny: tests of broken data write what the types forbid
function mutableCopy(): any {
  return structuredClone(DATA);
}
