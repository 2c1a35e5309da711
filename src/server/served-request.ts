import { randomUUID } from "node:crypto";
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
  /** The name of that, if it is a named key. */
  readonly client: string | undefined;
  /** As `clientAddress` returns it. */
  readonly address: string;
  /** The counter of the request; undefined if it was not counted. */
  readonly counter: Counter["kind"] | undefined;
}

/** A request that Node's parser does not pass on. */
export function unparsedRequest(
  address: string,
  { status, body }: Reply,
  isHead: boolean,
): ServedRequest {
  const unknown = {
    method: undefined,
    path: "",
    route: undefined,
    apiKey: undefined,
    client: undefined,
  };
  const bytes = isHead ? 0 : Buffer.byteLength(body);
  return {
    id: randomUUID(),
    ...unknown,
    status,
    milliseconds: 0,
    bytes,
    address,
    counter: "address",
  };
}
