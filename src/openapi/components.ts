import { DEFAULT_RATE_LIMIT, DEFAULT_RATE_WINDOW } from "../domain/defaults.js";
import {
  DATA_AGE_HEADER,
  LIMIT_HEADER,
  REMAINING_HEADER,
  RESET_HEADER,
  RETRY_AFTER_HEADER,
  REVISION_HEADER,
} from "../domain/http-headers.js";
import { limitError, MAX_LIMIT, pageBounds } from "../domain/page.js";
import { EMPTY_OBJECT_MD5, ENCRYPTED_PREFIX, NAME_PATTERN, VARIABLE_TYPES } from "../domain/variable.js";
import { MESSAGES } from "../server/replies.js";

const DEFAULT_PAGE = pageBounds({});
const EXAMPLE_ETAG = '"51-uWPVUCGB0OGHVI0t7vIDmoFxSTw"';

const ID = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const NAME = { type: "string", pattern: NAME_PATTERN.source, not: { pattern: `${EMPTY_OBJECT_MD5}$` } };

/** The bodies: each has exactly these fields. */
export const SCHEMAS = {
  PageMetadata: record("The bounds of a page.", {
    limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: "The page size in effect." },
    offset: { type: "integer", minimum: 0, description: "The offset in effect." },
    total: { type: "integer", minimum: 0, description: "The number of items in the whole list." },
  }),
  Variable: record("The definition of a variable. All environments of an application share it.", {
    id: ID,
    type: { type: "string", enum: VARIABLE_TYPES, description: "The type of the variable's values." },
    name: { ...NAME, description: "Unique within an application, case-sensitive." },
    description: { type: "string", description: "Empty if there is none." },
  }),
  VariablePage: page("Variable"),
  ValueContent: record("The value of a variable in the caller's environment.", {
    value: {
      description:
        "JSON of the variable's type: a string, a number, a boolean, or any JSON. A value that a client has encrypted " +
        `is a string that begins with \`${ENCRYPTED_PREFIX}\`, whatever the type.`,
    },
  }),
  VariableValue: record("The value of a variable in the caller's environment, as a record.", {
    id: { ...ID, description: "The id of this record, not of the variable." },
    variable_id: { ...ID, description: "The id of the variable." },
    content: reference("ValueContent"),
  }),
  VariableValuePage: page("VariableValue"),
  Health: record("The health of the server.", {
    uptime: { type: "number", minimum: 0, description: "Seconds since the server started." },
    message: { type: "string", description: "`OK`, or that something is wrong. The server's log has the details." },
    date: {
      type: "string",
      format: "date-time",
      pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
      description: "The server's clock: ISO 8601, UTC, with milliseconds.",
    },
  }),
  Error: record("An error.", { message: { type: "string", description: "For people." } }),
};

function page(item: string) {
  return record("Items from `offset` on, at most `limit` of them, by ascending id.", {
    metadata: reference("PageMetadata"),
    data: { type: "array", maxItems: MAX_LIMIT, items: reference(item) },
  });
}

function record(description: string, properties: Record<string, object>) {
  return { type: "object", description, additionalProperties: false, required: Object.keys(properties), properties };
}

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

const LIMIT = { type: "integer", minimum: 1, default: DEFAULT_PAGE.limit };
const OFFSET = { type: "integer", minimum: 0, default: DEFAULT_PAGE.offset };

export const PARAMETERS = {
  limit: query("limit", `The page size. May appear once. More than ${MAX_LIMIT} counts as ${MAX_LIMIT}.`, LIMIT, 2),
  offset: query(
    "offset",
    "The number of items to skip. May appear once. After the last item, `data` is empty.",
    OFFSET,
    0,
  ),
  id: inPath("id", "The id, in decimal without leading zeros.", ID, 1),
  variable_name: inPath(
    "variable_name",
    "The name, case-sensitive. An invalid name is answered 404.",
    NAME,
    "DATABASE_URL",
  ),
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of an earlier answer. The answer is 304 if it would be the same.",
    schema: { type: "string" },
    example: EXAMPLE_ETAG,
  },
};

function query(name: string, description: string, schema: object, example: number) {
  return { name, in: "query", description, schema, example };
}

function inPath(name: string, description: string, schema: object, example: string | number) {
  return { name, in: "path", required: true, description, schema, example };
}

export const HEADERS: Record<string, object> = {
  [LIMIT_HEADER]: count("Requests allowed in one window.", 1, DEFAULT_RATE_LIMIT),
  [REMAINING_HEADER]: count("Requests left in this window.", 0, DEFAULT_RATE_LIMIT - 1),
  [RESET_HEADER]: count("Seconds until the window ends.", 0, DEFAULT_RATE_WINDOW),
  "Cache-Control": constant("Caches must not store the answer.", "no-store"),
  [RETRY_AFTER_HEADER]: count("Seconds to wait before another request.", 1, 42),
  ETag: header(
    "Identifies the body. Send it as `If-None-Match` to get a 304 while the body is the same.",
    { type: "string", pattern: '^(W/)?"[^"]*"$' },
    EXAMPLE_ETAG,
  ),
  [REVISION_HEADER]: header(
    "Identifies the revision of the environment's data. A client that reads several things compares it, and reads " +
      "again if it differs; others can ignore it.",
    { type: "string", pattern: "^[A-Za-z0-9_-]{22}$" },
    "uWPVUCGB0OGHVI0t7vIDmo",
  ),
  [DATA_AGE_HEADER]: {
    ...count("Seconds since the data was last known to be the newest. Only a server over a data store sends it.", 0, 3),
    required: false,
  },
  "WWW-Authenticate": constant("How to authenticate.", "HMAC"),
  Allow: constant("The methods of the path.", "GET, HEAD"),
};

function count(description: string, minimum: number, example: number) {
  return header(description, { type: "integer", minimum }, example);
}

function constant(description: string, value: string) {
  return header(description, { type: "string", const: value }, value);
}

function header(description: string, schema: object, example: string | number) {
  return { description, required: true, schema, example };
}

/** Headers of every response, and those of data, including a 304. */
const COMMON_HEADERS = [LIMIT_HEADER, REMAINING_HEADER, RESET_HEADER, "Cache-Control"];
export const DATA_HEADERS = ["ETag", REVISION_HEADER];

/** A response; it has a body only with `content`. */
export interface ResponseDescription {
  description: string;
  headers: Record<string, object>;
  content?: Record<string, object>;
}

/** @param examples of the body, by name */
export function jsonResponse(
  description: string,
  schema: keyof typeof SCHEMAS,
  examples: Record<string, unknown>,
  headers: string[] = [],
): ResponseDescription {
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  const content = { "application/json": { schema: reference(schema), examples: named } };
  return { ...emptyResponse(description, headers), content };
}

export function emptyResponse(description: string, headers: string[]): ResponseDescription {
  const names = [...COMMON_HEADERS, ...headers];
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(references) };
}

export function withoutBody({ description, headers }: ResponseDescription): ResponseDescription {
  return { description, headers };
}

function error(description: string, message: string, ...headers: string[]): ResponseDescription {
  return jsonResponse(description, "Error", { error: { message } }, headers);
}

const ERRORS = {
  400: error(
    "A parameter is out of bounds, and the message names it and its bounds; or the request is malformed: the target is " +
      "not a path or has invalid percent-encoding, the Host header is missing or repeated, or it is not HTTP.",
    limitError().message,
  ),
  401: error(
    "Credentials are missing, malformed or wrong. The message is always the same.",
    MESSAGES.unauthorized,
    "WWW-Authenticate",
  ),
  404: error(
    "The id or name does not exist, or belongs to another application or environment. The message is always the same.",
    MESSAGES.notFound,
    REVISION_HEADER,
  ),
  405: error("The method is neither GET nor HEAD.", MESSAGES.methodNotAllowed, "Allow"),
  408: error("The headers did not arrive in time. The connection is closed.", "Request Timeout"),
  414: error("The target, path and query, exceeds 8 KiB. The connection is closed.", MESSAGES.targetTooLong),
  429: error(
    "Too many requests, or too many signatures without `x-api-key`. Wait for `Retry-After` seconds.",
    MESSAGES.tooManyRequests,
    RETRY_AFTER_HEADER,
  ),
  431: error(
    "The headers exceed 16 KiB in total, or there are more than 200. The connection is closed.",
    "Request Header Fields Too Large",
  ),
  500: error("The server failed. Its log has the details.", MESSAGES.internal),
  503: error(
    "The server records what is read, and can't do so now. Wait for `Retry-After` seconds.",
    MESSAGES.notRecorded,
    RETRY_AFTER_HEADER,
  ),
};

export type ErrorStatus = keyof typeof ERRORS;

/** The errors by status, and the same without bodies under `400-head` and so on. */
export const RESPONSES: Record<string, ResponseDescription> = {
  ...ERRORS,
  ...Object.fromEntries(Object.entries(ERRORS).map(([status, response]) => [`${status}-head`, withoutBody(response)])),
};
