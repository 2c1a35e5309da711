import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AddressOf } from "./client-address.js";
import { routeOf } from "./match-route.js";
import type { AppRequest, Step } from "./middleware.js";
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
    req.onAnswer = ({ status, body }) => {
      const { method, path, counter } = req;
      onRequest({
        id: requestId(req),
        method,
        path,
        route: req.route ?? routeOf(path),
        status,
        milliseconds: ticks() - arrivedAt,
        bytes: method === "HEAD" ? 0 : Buffer.byteLength(body),
        apiKey: usedKey(req),
        client: req.identity?.owner?.client,
        address,
        counter,
      });
    };
    return undefined;
  };
}

/** The API key of valid credentials, which may have been rotated out; a signature without a key has the current one. */
export function usedKey({ identity, headers }: AppRequest): string | undefined {
  const { owner } = identity ?? {};
  return owner && String(headers["x-api-key"] ?? owner.current.api_key);
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
