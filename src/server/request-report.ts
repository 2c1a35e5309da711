import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AddressOf } from "./client-address.js";
import { routeOf } from "./match-route.js";
import type { AppRequest, Step } from "./middleware.js";
import type { Reply } from "./replies.js";
// Not one file: the published types must not need polka's.
import type { ServedRequest } from "./served-request.js";

/** Reports each request with its answer. @param ticks monotonic clock in milliseconds */
export function reportAnswers(
  onRequest: (request: ServedRequest) => void,
  addressOf: AddressOf,
  ticks: () => number,
): Step {
  return (req) => {
    const arrivedAt = ticks();
    // Later, the client may have disconnected.
    const address = addressOf(req);
    req.onAnswer = (reply) => {
      const { method, path, counter } = req;
      const bytes = method === "HEAD" ? 0 : Buffer.byteLength(reply.body);
      onRequest({
        ...describeRequest(req, address, reply),
        path,
        milliseconds: ticks() - arrivedAt,
        bytes,
        counter,
      });
    };
    return undefined;
  };
}

/** The parts of an answered request that an audit log has too. */
export function describeRequest(req: AppRequest, address: string, { status }: Reply) {
  const { method, path, headers } = req;
  // Unset after an error on the way to it.
  const owner = req.identity?.owner;
  // A key may have been rotated out. A signature without a key has the current one.
  const apiKey = owner && String(headers["x-api-key"] ?? owner.current.api_key);
  return {
    id: requestId(req),
    method,
    route: routeOf(path),
    status,
    apiKey,
    client: owner?.client,
    address,
  };
}

/** The trace id, in a header as of W3C Trace Context level 1. Zeros are not an id. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The trace id of `traceparent`, `x-request-id`, or a random UUID: the same each time. */
function requestId(req: AppRequest): string {
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
