import { ROUTES } from "../domain/routes.js";
import { OPERATIONS, type Operation } from "./operations.js";
import { emptyResponse, type ResponseDescription, withoutBody } from "./responses.js";
import { DATA_SECURITY } from "./security.js";

/** By status, in full or as a reference to a component. */
type Responses = Record<string, ResponseDescription | { $ref: string }>;

/** One method of a path. */
interface MethodDescription {
  operationId: string;
  responses: Responses;
  [key: string]: unknown;
}

export interface PathItem {
  get: MethodDescription;
  head: MethodDescription;
}

/** Every path of the contract, with its GET and its HEAD. */
export function describePaths(): Record<string, PathItem> {
  const keys = Object.keys(ROUTES) as (keyof typeof ROUTES)[];
  return Object.fromEntries(keys.map((key) => [pathTemplate(ROUTES[key]), describePath(OPERATIONS[key])]));
}

/** `/v1/variables/:id` as OpenAPI writes it. The contract's name for `:name` is `variable_name`. */
function pathTemplate(route: string): string {
  return route.replace(":name", ":variable_name").replaceAll(/:(\w+)/g, "{$1}");
}

function describePath(operation: Operation): PathItem {
  const { operationId, tag, summary, isData, parameters } = operation;
  const common = {
    tags: [tag],
    parameters: [...parameters, ...(isData ? ["ifNoneMatch"] : [])].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    security: isData ? DATA_SECURITY : [],
  };
  return {
    get: { operationId, summary, ...common, responses: responsesToGet(operation) },
    head: {
      operationId: operationId.replace(/^get/, "head"),
      summary: `${summary}: the headers alone`,
      ...common,
      responses: responsesToHead(operation),
    },
  };
}

function responsesToGet({ answers, isData, refusals }: Operation): Responses {
  return { ...answers, ...notModified(isData), ...references(refusals, "") };
}

/** As to GET, without the bodies. */
function responsesToHead({ answers, isData, refusals }: Operation): Responses {
  const answersToHead = Object.entries(answers).map(([status, answer]) => [status, withoutBody(answer)]);
  return { ...Object.fromEntries(answersToHead), ...notModified(isData), ...references(refusals, "-head") };
}

function references(statuses: readonly number[], suffix: string): Responses {
  const entries = statuses.map((status) => [status, { $ref: `#/components/responses/${status}${suffix}` }]);
  return Object.fromEntries(entries);
}

function notModified(isData: boolean): Responses {
  return isData ? { 304: emptyResponse("The data is what `If-None-Match` stands for.", ["ETag"]) } : {};
}
