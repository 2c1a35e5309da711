import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { CounterKey } from "../limits/rate-limiter.js";

/**
 * An answered request, for logs and metrics: no query, no header but the ids,
 * no body.
 */
export interface ServedRequest {
  /** The trace id of `traceparent`, `x-request-id`, or a random UUID. */
  readonly id: string;
  /** `undefined` for a request that can't be parsed. */
  readonly method?: string | undefined;
  /**
   * The path without the query. It can contain a variable's name, so it is not
   * for logs.
   */
  readonly path: string;
  /**
   * The pattern of the path, such as `/v1/variables/:id`; `undefined` if no
   * route matches.
   */
  readonly route?: string | undefined;
  readonly status: number;
  /** The time from the head of the request to its answer. */
  readonly milliseconds: number;
  /** The length of the answer's body. */
  readonly bytes: number;
  /** The API key of valid credentials. */
  readonly apiKey?: string | undefined;
  /** The name of that key, if it is a named key. */
  readonly client?: string | undefined;
  /** The address, as `clientAddress` returns it. */
  readonly address: string;
  /** The counter of the request; `undefined` if it was not counted. */
  readonly counter?: CounterKey["kind"] | undefined;
}

/** W3C Trace Context, level 1. Zeros are not an id. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Chosen by clients, so it must not look like another part of a log. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Returns the id of a {@link ServedRequest}. */
export function requestId(headers: IncomingHttpHeaders): string {
  const [, traceId] = TRACEPARENT.exec(String(headers["traceparent"] ?? "")) ?? [];
  if (traceId !== undefined) return traceId;
  const sent = String(headers["x-request-id"] ?? "");
  return REQUEST_ID.test(sent) ? sent : randomUUID();
}
