import { DATA_AGE_HEADER } from "../domain/http-headers.js";
import { ROUTES } from "../domain/routes.js";
import { type Health, STALE_DATA, staleStoreMessage } from "../domain/source.js";
import { ENCRYPTED_PREFIX, type ValueContent, type Variable, type VariableValue } from "../domain/variable.js";
import {
  DATA_HEADERS,
  type ErrorStatus,
  emptyResponse,
  jsonResponse,
  type PARAMETERS,
  type ResponseDescription,
  type SCHEMAS,
  withoutBody,
} from "./components.js";
import { DATA_SECURITY } from "./security.js";

const VARIABLE: Variable = { id: 1, type: "STRING", name: "DATABASE_URL", description: "Primary database" };
const CONTENT: ValueContent = { value: "postgres://localhost/dev" };
const VALUE: VariableValue = { id: 11, variable_id: VARIABLE.id, content: CONTENT };
const CONTENTS: Record<string, ValueContent> = {
  STRING: CONTENT,
  NUMBER: { value: 3000 },
  BOOLEAN: { value: true },
  JSON: { value: { beta: ["x", null, 1.5] } },
  encrypted: { value: `${ENCRYPTED_PREFIX}bm9uY2Ugbm9uY2VjaXBoZXJ0ZXh0IGFuZCB0YWc=` },
};
const HEALTHY: Health = { uptime: 86400.25, message: "OK", date: "2026-01-02T03:04:05.678Z" };
const STALE: Health = { ...HEALTHY, message: staleStoreMessage(45_000) };
const UNHEALTHY: Health = { ...HEALTHY, message: STALE_DATA };

interface Operation {
  tag: "variables" | "values" | "health";
  summary: string;
  parameters: readonly (keyof typeof PARAMETERS)[];
  /** Without those of any request. */
  errors: readonly ErrorStatus[];
  answers: Record<number, ResponseDescription>;
}

const ANY_ERRORS: readonly ErrorStatus[] = [400, 405, 408, 414, 429, 431, 500];
const LIST = { parameters: ["limit", "offset", "ifNoneMatch"], errors: [401, 503] } as const;
const BY_ID = { parameters: ["id", "ifNoneMatch"], errors: [401, 404, 503] } as const;
const BY_NAME = { parameters: ["variable_name", "ifNoneMatch"], errors: [401, 404, 503] } as const;

const OPERATIONS: Record<keyof typeof ROUTES, Operation> = {
  variables: {
    ...LIST,
    tag: "variables",
    summary: "Get a page of the application's variables",
    answers: data("VariablePage", { page: wholePage(VARIABLE) }),
  },
  variable: {
    ...BY_ID,
    tag: "variables",
    summary: "Get a variable",
    answers: data("Variable", { variable: VARIABLE }),
  },
  values: {
    ...LIST,
    tag: "values",
    summary: "Get a page of the values that are set in this environment",
    answers: data("VariableValuePage", { page: wholePage(VALUE) }),
  },
  value: {
    ...BY_ID,
    tag: "values",
    summary: "Get a value by the id of its record",
    answers: data("VariableValue", { value: VALUE }),
  },
  valueByName: {
    ...BY_NAME,
    tag: "values",
    summary: "Get a value by the name of its variable",
    answers: data("VariableValue", { value: VALUE }),
  },
  content: {
    ...BY_NAME,
    tag: "values",
    summary: "Get the content of a value by the name of its variable",
    answers: data("ValueContent", CONTENTS),
  },
  health: {
    tag: "health",
    summary: "Get the server's health, without credentials",
    parameters: [],
    errors: [],
    answers: {
      200: jsonResponse(
        "The server is healthy. If its data store can't be read, but the data is not too old, the message says so.",
        "Health",
        { healthy: HEALTHY, stale: STALE },
        [DATA_AGE_HEADER],
      ),
      503: jsonResponse("The server is not healthy.", "Health", { unhealthy: UNHEALTHY }, [DATA_AGE_HEADER]),
    },
  },
};

function data(schema: keyof typeof SCHEMAS, examples: Record<string, unknown>): Operation["answers"] {
  const notModified = emptyResponse("The data is the same as in `If-None-Match`.", DATA_HEADERS);
  return { 200: jsonResponse("The data.", schema, examples, DATA_HEADERS), 304: notModified };
}

/** A page that holds the whole list. */
function wholePage(item: object) {
  return { metadata: { limit: 50, offset: 0, total: 1 }, data: [item] };
}

/** By status, in full or as a reference to a component. */
type Responses = Record<string, ResponseDescription | { $ref: string }>;

interface MethodDescription {
  operationId: string;
  responses: Responses;
  [key: string]: unknown;
}

export type PathItem = Record<"get" | "head", MethodDescription>;

/** Every path of the API, with its GET and its HEAD. */
export function describePaths(): Record<string, PathItem> {
  const keys = Object.keys(ROUTES) as (keyof typeof ROUTES)[];
  return Object.fromEntries(keys.map((key) => [pathTemplate(ROUTES[key]), describePath(key)]));
}

/** `/v1/variables/:id` in the form of OpenAPI; `:name` is called `variable_name` there. */
function pathTemplate(route: string): string {
  return route.replace(":name", ":variable_name").replaceAll(/:(\w+)/g, "{$1}");
}

function describePath(key: keyof typeof ROUTES): PathItem {
  const { tag, summary, parameters, answers, errors } = OPERATIONS[key];
  const name = (key === "content" ? "contentByName" : key).replace(/^./, (letter) => letter.toUpperCase());
  const common = {
    tags: [tag],
    parameters: parameters.map((parameter) => ({ $ref: `#/components/parameters/${parameter}` })),
    security: key === "health" ? [] : DATA_SECURITY,
  };
  const errorResponses = (suffix: string): Responses =>
    Object.fromEntries(
      [...errors, ...ANY_ERRORS].map((status) => [status, { $ref: `#/components/responses/${status}${suffix}` }]),
    );
  const headAnswers = Object.entries(answers).map(([status, answer]) => [status, withoutBody(answer)]);
  return {
    get: { operationId: `get${name}`, summary, ...common, responses: { ...answers, ...errorResponses("") } },
    head: {
      operationId: `head${name}`,
      summary: `${summary} (headers only)`,
      ...common,
      responses: { ...Object.fromEntries(headAnswers), ...errorResponses("-head") },
    },
  };
}
