import { DEV_HEADERS } from "../support/http.js";
import { signByHand } from "../support/sign-by-hand.js";
import type { Document } from "./described-response.js";
import type { Parameter, Step } from "./respect.js";

/** The servers that the steps are sent to, each for certain answers. */
export interface Servers {
  /** Serves DATA normally. */
  good: string;
  /** The same with an invalid path prefix, so that every target is malformed. */
  badPath: string;
  /** The rate limit is used up, for shop/development and for this address. */
  limited: string;
  /** Every request fails with an internal error. */
  failing: string;
  /** Nothing can be recorded in the audit log. */
  unrecorded: string;
  unhealthy: string;
  /** Over a data store. */
  stored: string;
  /** Any request arrives as something that is not HTTP, as half a request, or with a huge chunk extension. */
  nonsense: string;
  halfRequest: string;
}

interface Endpoint {
  /** The ids of its operations without `get` and `head`. */
  name: string;
  target: string;
  parameters: Parameter[];
}

const DATA_ENDPOINTS: Endpoint[] = [
  { name: "Variables", target: "/v1/variables?limit=2&offset=1", parameters: [query("limit", 2), query("offset", 1)] },
  { name: "Variable", target: "/v1/variables/1", parameters: [path("id", 1)] },
  { name: "Values", target: "/v1/variables-values", parameters: [] },
  { name: "Value", target: "/v1/variables-values/14", parameters: [path("id", 14)] },
  byName("ValueByName", "/v1/variables-values-by-name/PORT"),
  byName("ContentByName", "/v1/variables-values-by-name/PORT/content"),
];
const HEALTH: Endpoint = { name: "Health", target: "/healthz", parameters: [] };

const KEY_AND_SECRET = Object.entries(DEV_HEADERS).map(([name, value]) => header(name, value));
// Without `Cache-Control`, fetch adds `no-cache`, which requests a complete answer.
const CONDITION = [header("If-None-Match", "*"), header("Cache-Control", "max-age=0")];
const BAD_LIMITS = ["0", "-1", "1.5", "abc", ""];
const BAD_OFFSETS = ["-1", "1.5", "abc", ""];
const BAD_IDS = ["0", "-1", "1.5", "abc", "01", "9007199254740992"];
/** Unknown, of another application, and without a value here. */
const HIDDEN_IDS = { Variable: [999, 8], Value: [999, 18, 17] };
const HIDDEN_NAMES = ["UNKNOWN", "UNSET", "1", "a%20b"];

/** Requests for every status of every operation. */
export function everyStep(): Step[] {
  return [
    ...stepsWith("get"),
    ...stepsWith("head"),
    ...otherMethodSteps(),
    step("getHealth", 400, [], "nonsense"),
    step("getHealth", 408, [], "halfRequest"),
  ];
}

function stepsWith(method: "get" | "head"): Step[] {
  return [
    ...DATA_ENDPOINTS.flatMap((endpoint) => [...dataSteps(method, endpoint), ...commonSteps(method, endpoint)]),
    ...HIDDEN_NAMES.flatMap((name) => [
      step(`${method}ValueByName`, 404, [path("variable_name", name), ...KEY_AND_SECRET]),
      step(`${method}ContentByName`, 404, [path("variable_name", name), ...KEY_AND_SECRET]),
    ]),
    ...BAD_LIMITS.flatMap((value) => listSteps(method, query("limit", value))),
    ...BAD_OFFSETS.flatMap((value) => listSteps(method, query("offset", value))),
    ...BAD_IDS.flatMap((id) => ["Variable", "Value"].map((name) => idStep(method, name, 400, id))),
    ...Object.entries(HIDDEN_IDS).flatMap(([name, ids]) => ids.map((id) => idStep(method, name, 404, id))),
    ...commonSteps(method, HEALTH),
    step(`${method}Health`, 200, []),
    step(`${method}Health`, 200, [], "stored"),
    step(`${method}Health`, 503, [], "unhealthy"),
  ];
}

function dataSteps(method: string, { name, target, parameters }: Endpoint): Step[] {
  const signature = (secret: string) =>
    header("Authorization", signByHand({ secret, route: target, method: method.toUpperCase() }));
  const asked = (status: number, ...headers: Parameter[]) => step(method + name, status, [...parameters, ...headers]);
  return [
    asked(200, ...KEY_AND_SECRET),
    asked(200, header("x-api-key", "dev-key"), signature("dev-secret")),
    asked(200, signature("dev-secret")),
    asked(304, ...KEY_AND_SECRET, ...CONDITION),
    step(method + name, 503, [...parameters, ...KEY_AND_SECRET], "unrecorded"),
    asked(401),
    asked(401, header("x-api-key", "dev-key"), header("x-api-secret", "wrong")),
    asked(401, ...KEY_AND_SECRET, signature("wrong")),
  ];
}

function commonSteps(method: string, { name, parameters }: Endpoint): Step[] {
  const sent = [...parameters, ...KEY_AND_SECRET];
  const operationId = method + name;
  return [
    step(operationId, 400, sent, "badPath"),
    step(operationId, 414, [...sent, query("x", "a".repeat(8_192))]),
    step(operationId, 429, sent, "limited"),
    step(operationId, 431, [...sent, header("x-large", "a".repeat(16_384))]),
    step(operationId, 500, sent, "failing"),
  ];
}

function listSteps(method: string, parameter: Parameter): Step[] {
  return ["Variables", "Values"].map((name) => step(method + name, 400, [parameter, ...KEY_AND_SECRET]));
}

function idStep(method: string, name: string, status: number, id: string | number): Step {
  return step(method + name, status, [path("id", id), ...KEY_AND_SECRET]);
}

const OTHER_METHODS = ["post", "put", "patch", "delete", "options"];

/** The document with all other methods added: they are answered 405. */
export function withOtherMethods(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const responses = { 405: item.get.responses[405] };
    const others = OTHER_METHODS.map((method) => [method, { operationId: method + item.get.operationId, responses }]);
    return [path, { ...item, ...Object.fromEntries(others) }];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** A request with each other method to each path. */
function otherMethodSteps(): Step[] {
  return [...DATA_ENDPOINTS, HEALTH].flatMap(({ name, parameters }) =>
    OTHER_METHODS.map((method) => step(`${method}get${name}`, 405, [...parameters, ...KEY_AND_SECRET])),
  );
}

function step(operationId: string, status: number, parameters: Parameter[], server: keyof Servers = "good"): Step {
  return { server, operationId, status, parameters };
}

function byName(name: string, target: string): Endpoint {
  return { name, target, parameters: [path("variable_name", "PORT")] };
}

function path(name: string, value: string | number): Parameter {
  return { in: "path", name, value };
}

function query(name: string, value: string | number): Parameter {
  return { in: "query", name, value };
}

function header(name: string, value: string): Parameter {
  return { in: "header", name, value };
}
