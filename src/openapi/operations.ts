import type { ROUTES } from "../domain/routes.js";
import { CONTENTS, HEALTHY, UNHEALTHY, VALUE, VARIABLE, wholePage } from "./examples.js";
import { jsonResponse, type RefusalStatus, type ResponseDescription } from "./responses.js";
import type { SchemaName } from "./schemas.js";

/** What sets one endpoint apart from the others. */
export interface Operation {
  /** The name of its GET; that of its HEAD is made of it. */
  operationId: `get${string}`;
  tag: "variables" | "values" | "health";
  summary: string;
  /** Whether it needs credentials; if so its answer has an ETag. */
  isData: boolean;
  parameters: readonly ("limit" | "offset" | "id" | "variable_name")[];
  answers: Record<number, ResponseDescription>;
  refusals: readonly RefusalStatus[];
}

const LIST = { isData: true, parameters: ["limit", "offset"], refusals: refusals(401) } as const;
const BY_ID = { isData: true, parameters: ["id"], refusals: refusals(401, 404) } as const;
const BY_NAME = { isData: true, parameters: ["variable_name"], refusals: refusals(401, 404) } as const;

/** The endpoints, under the keys of their paths. */
export const OPERATIONS: Record<keyof typeof ROUTES, Operation> = {
  variables: {
    ...LIST,
    operationId: "getVariables",
    tag: "variables",
    summary: "Get a page of the application's variables",
    answers: data("VariablePage", { page: wholePage(VARIABLE) }),
  },
  variable: {
    ...BY_ID,
    operationId: "getVariable",
    tag: "variables",
    summary: "Get a variable",
    answers: data("Variable", { variable: VARIABLE }),
  },
  values: {
    ...LIST,
    operationId: "getValues",
    tag: "values",
    summary: "Get a page of the values that are set in this environment",
    answers: data("VariableValuePage", { page: wholePage(VALUE) }),
  },
  value: {
    ...BY_ID,
    operationId: "getValue",
    tag: "values",
    summary: "Get a value by the id of its record",
    answers: data("VariableValue", { value: VALUE }),
  },
  valueByName: {
    ...BY_NAME,
    operationId: "getValueByName",
    tag: "values",
    summary: "Get a value by the name of its variable",
    answers: data("VariableValue", { value: VALUE }),
  },
  contentByName: {
    ...BY_NAME,
    operationId: "getContentByName",
    tag: "values",
    summary: "Get no more of a value than what it holds",
    answers: data("ValueContent", CONTENTS),
  },
  health: {
    operationId: "getHealth",
    tag: "health",
    summary: "Get the server's health, with no credentials",
    isData: false,
    parameters: [],
    answers: {
      200: jsonResponse("The server is healthy.", "Health", { examples: { healthy: HEALTHY } }),
      503: jsonResponse("The server is not healthy.", "Health", { examples: { unhealthy: UNHEALTHY } }),
    },
    refusals: refusals(),
  },
};

function data(schema: SchemaName, examples: Record<string, unknown>): Record<number, ResponseDescription> {
  return { 200: jsonResponse("The data.", schema, { examples, headers: ["ETag"] }) };
}

/** These, and what any request may be answered. */
function refusals(...own: RefusalStatus[]): RefusalStatus[] {
  return [400, ...own, 405, 408, 413, 414, 429, 431, 500];
}
