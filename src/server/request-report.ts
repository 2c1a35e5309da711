import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { routeOf } from "../domain/routes.js";
import type { AddressOf } from "./client-address.js";
import { type AppRequest, rawPath } from "./middleware.js";
import type { ServedRequest } from "./served-request.js";

/** Calls `onRequest` for each request that is answered completely. @param ticks monotonic clock in milliseconds */
export function reportRequests(
  server: Server,
  onRequest: (request: ServedRequest) => void,
  addressOf: AddressOf,
  ticks: () => number,
): void {
  server.on("request", (req: AppRequest, res) => {
    req.arrival = { at: ticks(), address: addressOf(req) };
    res.on("finish", onFinish);
  });

  // One function for all: a closure for each request, and `once`, would take as long as the rest.
  function onFinish(this: ServerResponse<AppRequest>): void {
    const { req, statusCode: status } = this;
    const { method, arrival } = req;
    if (!arrival) return;
    const { at, address } = arrival;
    const path = rawPath(req);
    onRequest({
      id: requestId(req),
      method,
      path,
      route: req.route ?? routeOf(path),
      status,
      milliseconds: ticks() - at,
      bytes: method === "HEAD" ? 0 : Buffer.byteLength(req.reply?.body ?? ""),
      apiKey: usedKey(req),
      address,
      counter: req.counter,
    });
  }
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

/** The client chooses it: only what can't be mistaken for another part of a log. */
function idOf({ headers }: IncomingMessage): string {
  const [, traceId] = TRACEPARENT.exec(String(headers["traceparent"] ?? "")) ?? [];
  if (traceId !== undefined) return traceId;
  const sent = String(headers["x-request-id"] ?? "");
  return REQUEST_ID.test(sent) ? sent : randomUUID();
}
