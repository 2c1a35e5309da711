import { REVISION_HEADER } from "../../model/reads/http-headers.js";
import { type HeaderList, jsonReply, type Reply } from "../wire/replies.js";

export function errorReply(status: number, message: string, headers?: HeaderList): Reply {
  return jsonReply(status, JSON.stringify({ message }), headers);
}

const CLOSE = ["Connection", "close"];

export const BAD_TARGET = errorReply(
  400,
  "The request target must be a path or an http URL, with valid percent-encoding",
);
export const NO_HOST = errorReply(400, "The Host header must be sent, once", CLOSE);
export const UNAUTHORIZED = errorReply(401, "Credentials are missing or not valid", [
  "WWW-Authenticate",
  "HMAC",
]);
export const METHOD_NOT_ALLOWED = errorReply(405, "Only GET and HEAD are allowed", [
  "Allow",
  "GET, HEAD",
]);
export const TARGET_TOO_LONG = errorReply(414, "The request target is too long", CLOSE);
export const TOO_MANY_REQUESTS = errorReply(429, "Too many requests, try again later");
export const TOO_MANY_WITHOUT_KEY = errorReply(
  429,
  "Too many requests without x-api-key, try again later or send it",
);
export const TOO_MANY_HEADERS = errorReply(431, "The request has too many headers", CLOSE);
export const INTERNAL_ERROR = errorReply(500, "Internal server error");
export const NOT_RECORDED = errorReply(503, "The request can't be recorded now, try again later", [
  "Retry-After",
  "1",
]);
export const SIMULATED_FAILURE = errorReply(503, "This failure is made on purpose, try again");

export function notFound(revision?: string): Reply {
  const headers = revision === undefined ? [] : [REVISION_HEADER, revision];
  return errorReply(404, "Not found", headers);
}

/** Whether a reply refuses a request beyond a limit. */
export function refusesTooMany({ status }: Pick<Reply, "status">): boolean {
  return status === TOO_MANY_REQUESTS.status;
}
