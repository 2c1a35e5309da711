import { DEV_HEADERS } from "../support/http.js";
import { signByHand } from "../support/sign-by-hand.js";
import { OPERATIONS } from "./document.js";

/** The servers that the steps are sent to, each for certain answers. */
export interface Servers {
  /** Serves DATA normally. */
  good: Port;
  /** The rate limit is used up, for shop/development and for this address. */
  limited: Port;
  /** Every request fails with an internal error. */
  failing: Port;
  /** Nothing can be recorded in the audit log. */
  unrecorded: Port;
  unhealthy: Port;
  /** Over a data store. */
  stored: Port;
  /** Any request arrives as something that is not HTTP, or as half a request. */
  nonsense: Port;
  halfRequest: Port;
}

interface Port {
  readonly port: number;
}

/** One request, and the operation and status that describe its answer. */
export interface Step {
  server: keyof Servers;
  operationId: string;
  status: number;
  method: string;
  target: string;
  headers: Record<string, string>;
}

interface Endpoint {
  /** The ids of its operations without `get` and `head`. */
  name: string;
  target: string;
}

const DATA_ENDPOINTS: Endpoint[] = [
  { name: "Variables", target: "/v1/variables?limit=2&offset=1" },
  { name: "Variable", target: "/v1/variables/1" },
  { name: "Values", target: "/v1/variables-values" },
  { name: "Value", target: "/v1/variables-values/14" },
  { name: "ValueByName", target: "/v1/variables-values-by-name/PORT" },
  { name: "ContentByName", target: "/v1/variables-values-by-name/PORT/content" },
  { name: "ValuesByName", target: "/v1/variables-values-by-name?names=PORT,FLAGS,UNSET" },
  { name: "Check", target: "/v1/check" },
];
const HEALTH: Endpoint = { name: "Health", target: "/healthz" };

const BAD_PAGES = [
  "limit=0",
  "limit=-1",
  "limit=1.5",
  "limit=abc",
  "limit=",
  "offset=-1",
  "offset=1.5",
  "offset=abc",
  "offset=",
];
const BAD_IDS = ["0", "-1", "1.5", "abc", "01", "9007199254740992"];
/** Unknown, of another application, and without a value here. */
const HIDDEN_IDS = { Variable: [999, 8], Value: [999, 18, 17] };
const HIDDEN_NAMES = ["UNKNOWN", "UNSET", "1", "a%20b"];

const OTHER_METHODS = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Requests for every status of every operation. */
export function everyStep(): Step[] {
  return [
    ...stepsWith("get"),
    ...stepsWith("head"),
    ...otherMethodSteps(),
    step("getHealth", 400, { server: "nonsense" }),
    step("getHealth", 408, { server: "halfRequest" }),
  ];
}

function stepsWith(method: "get" | "head"): Step[] {
  const refused = (name: string, status: number, target: string) =>
    step(method + name, status, { target });
  return [
    ...DATA_ENDPOINTS.flatMap((endpoint) => [
      ...dataSteps(method, endpoint),
      ...commonSteps(method, endpoint),
    ]),
    ...HIDDEN_NAMES.flatMap((name) => [
      refused("ValueByName", 404, `/v1/variables-values-by-name/${name}`),
      refused("ContentByName", 404, `/v1/variables-values-by-name/${name}/content`),
    ]),
    ...BAD_PAGES.flatMap((query) => [
      refused("Variables", 400, `/v1/variables?${query}`),
      refused("Values", 400, `/v1/variables-values?${query}`),
    ]),
    ...BAD_IDS.flatMap((id) => [
      refused("Variable", 400, `/v1/variables/${id}`),
      refused("Value", 400, `/v1/variables-values/${id}`),
    ]),
    ...HIDDEN_IDS.Variable.map((id) => refused("Variable", 404, `/v1/variables/${id}`)),
    ...HIDDEN_IDS.Value.map((id) => refused("Value", 404, `/v1/variables-values/${id}`)),
    ...commonSteps(method, HEALTH),
    step(`${method}Health`, 200, { headers: {} }),
    step(`${method}Health`, 200, { headers: {}, server: "stored" }),
    step(`${method}Health`, 503, { headers: {}, server: "unhealthy" }),
  ];
}

function dataSteps(method: string, { name, target }: Endpoint): Step[] {
  const signed = (secret: string) => ({
    Authorization: signByHand({ secret, route: target, method: method.toUpperCase() }),
  });
  const asked = (status: number, headers: Step["headers"] = DEV_HEADERS) =>
    step(method + name, status, { target, headers });
  return [
    asked(200),
    asked(200, { "x-api-key": "dev-key", ...signed("dev-secret") }),
    asked(200, signed("dev-secret")),
    asked(304, { ...DEV_HEADERS, "If-None-Match": "*" }),
    step(method + name, 503, { target, server: "unrecorded" }),
    asked(401, {}),
    asked(401, { "x-api-key": "dev-key", "x-api-secret": "wrong" }),
    asked(401, { ...DEV_HEADERS, ...signed("wrong") }),
  ];
}

function commonSteps(method: string, { name, target }: Endpoint): Step[] {
  const id = method + name;
  const long = `${target}${target.includes("?") ? "&" : "?"}x=${"a".repeat(8_192)}`;
  return [
    step(id, 400, { target: `/%zz${target}` }),
    step(id, 414, { target: long }),
    step(id, 429, { target, server: "limited" }),
    step(id, 431, { target, headers: { ...DEV_HEADERS, "x-large": "a".repeat(16_384) } }),
    step(id, 500, { target, server: "failing" }),
  ];
}

/** A request with each other method to each path. GET describes the answer. */
function otherMethodSteps(): Step[] {
  return [...DATA_ENDPOINTS, HEALTH].flatMap(({ name, target }) =>
    OTHER_METHODS.map((method) => ({ ...step(`get${name}`, 405, { target }), method })),
  );
}

function step(operationId: string, status: number, how: Partial<Step>): Step {
  const { path = "", method = "" } = OPERATIONS.get(operationId) ?? {};
  return {
    server: "good",
    operationId,
    status,
    method,
    target: path,
    headers: DEV_HEADERS,
    ...how,
  };
}
