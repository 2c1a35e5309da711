import { limitError } from "../domain/page.js";
import { MESSAGES } from "../server/replies.js";
import { COMMON_HEADERS, type HeaderName } from "./headers.js";
import type { SchemaName } from "./schemas.js";

/** A response of the document. Without `content` it has no body. */
export interface ResponseDescription {
  description: string;
  headers: Record<string, object>;
  content?: Record<string, object>;
}

/** What a response says beside what all of them say. */
interface ResponseOptions {
  headers?: readonly HeaderName[];
  /** Named examples of the body. */
  examples: Record<string, unknown>;
}

/** A response with a JSON body of this schema. */
export function jsonResponse(description: string, schema: SchemaName, options: ResponseOptions): ResponseDescription {
  const examples = Object.fromEntries(Object.entries(options.examples).map(([name, value]) => [name, { value }]));
  const media = { schema: { $ref: `#/components/schemas/${schema}` }, examples };
  return { ...emptyResponse(description, options.headers), content: { "application/json": media } };
}

/** A response without a body. */
export function emptyResponse(description: string, headers: readonly HeaderName[] = []): ResponseDescription {
  const names = [...COMMON_HEADERS, ...headers];
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
}

/** The same response to HEAD. */
export function withoutBody({ description, headers }: ResponseDescription): ResponseDescription {
  return { description, headers };
}

function error(description: string, message: string, headers: readonly HeaderName[] = []): ResponseDescription {
  return jsonResponse(description, "Error", { headers, examples: { error: { message } } });
}

/** The refusals, by status: each has the same form wherever it is answered. */
const REFUSALS = {
  400: error(
    "A parameter is out of its bounds, and the message names it and what it takes; or the request is none: the " +
      "target is no path or its percent-encoding is broken, the Host header is missing or repeated, or what was sent " +
      "is not HTTP.",
    limitError().message,
  ),
  401: error(
    "Credentials are missing, malformed or wrong: the message is the same for all of these.",
    MESSAGES.unauthorized,
    ["WWW-Authenticate"],
  ),
  404: error(
    "There is no such id or name, or none that these credentials may see: the message is the same for both.",
    MESSAGES.notFound,
  ),
  405: error("Answered to any method but GET and HEAD.", MESSAGES.methodNotAllowed, ["Allow"]),
  408: error("The request did not arrive in time. The connection is closed.", "Request Timeout"),
  413: error("The extensions of a chunked body are too large. The connection is closed.", "Payload Too Large"),
  414: error("The target, path and query, is longer than 8 KiB. The connection is closed.", MESSAGES.targetTooLong),
  429: error("Too many requests: wait for as long as `Retry-After` says.", MESSAGES.tooManyRequests, ["Retry-After"]),
  431: error("The headers are larger than 16 KiB in all. The connection is closed.", "Request Header Fields Too Large"),
  500: error("The server failed. What happened is in its log.", MESSAGES.internal),
};

export type RefusalStatus = keyof typeof REFUSALS;

/** `components.responses`: the refusals, and under `400-head` and so on the same without bodies. */
export const RESPONSES: Record<string, ResponseDescription> = {
  ...REFUSALS,
  ...Object.fromEntries(Object.entries(REFUSALS).map(([status, refusal]) => [`${status}-head`, withoutBody(refusal)])),
};
