import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AddressOf } from "./client-address.js";
import { routeOf } from "./match-route.js";
import { type AppRequest, type Handler, rawPath } from "./middleware.js";
import type { Counter } from "./rate-limiter.js";
import type { Reply } from "./replies.js";

/** An answered request, for logs and metrics: no query, no header but the ids, no body. */
export interface ServedRequest {
  /** The trace id of `traceparent`, `x-request-id`, or a random UUID. */
  readonly id: string;
  /** Undefined for a request that can't be parsed. */
  readonly method: string | undefined;
  /** Without the query. Can contain a variable's name: not for logs. */
  readonly path: string;
  /** The pattern of the path, such as `/v1/variables/:id`; undefined if there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  /** From the head of the request to its answer. */
  readonly milliseconds: number;
  /** Of the answer's body. */
  readonly bytes: number;
  /** The API key of valid credentials. */
  readonly apiKey: string | undefined;
  /** As `clientAddress` returns it. */
  readonly address: string;
  /** The counter of the request; undefined if it was not counted. */
  readonly counter: Counter["kind"] | undefined;
}

/** A request that Node's parser does not pass on. */
export function unparsedRequest(address: string, { status, body }: Reply, isHead: boolean): ServedRequest {
  const unknown = { method: undefined, path: "", route: undefined, apiKey: undefined };
  const bytes = isHead ? 0 : Buffer.byteLength(body);
  return { id: randomUUID(), ...unknown, status, milliseconds: 0, bytes, address, counter: "address" };
}

/** Reports each request with its answer. @param ticks monotonic clock in milliseconds */
export function reportAnswers(
  onRequest: (request: ServedRequest) => void,
  addressOf: AddressOf,
  ticks: () => number,
): Handler {
  return (req, _res, next) => {
    const arrivedAt = ticks();
    // Later, the client may have disconnected.
    const address = addressOf(req);
    req.onAnswer = ({ status, body }) => {
      const { method, counter } = req;
      const path = rawPath(req);
      onRequest({
        id: requestId(req),
        method,
        path,
        route: req.route ?? routeOf(path),
        status,
        milliseconds: ticks() - arrivedAt,
        bytes: method === "HEAD" ? 0 : Buffer.byteLength(body),
        apiKey: usedKey(req),
        address,
        counter,
      });
    };
    return next();
  };
}

/** The API key of valid credentials, which may have been rotated out; a signature without a key has that of its environment. */
export function usedKey({ identity, headers }: AppRequest): string | undefined {
  const { environment } = identity ?? {};
  return environment && String(headers["x-api-key"] ?? environment.api_key);
}

/** The trace id, in a header as of W3C Trace Context level 1. Zeros are not an id. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The trace id of `traceparent`, `x-request-id`, or a random UUID: the same each time. */
export function requestId(req: AppRequest): string {
  req.id ??= idOf(req);
  return req.id;
}

/** The client chooses it, so it must not look like another part of a log. */
function idOf({ headers }: IncomingMessage): string {
  const [, traceId] = TRACEPARENT.exec(String(headers["traceparent"] ?? "")) ?? [];
  if (traceId !== undefined) return traceId;
  const sent = String(headers["x-request-id"] ?? "");
  return REQUEST_ID.test(sent) ? sent : randomUUID();
}
