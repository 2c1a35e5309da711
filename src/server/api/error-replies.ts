import { type HeaderList, jsonReply, type Reply } from "../wire/replies.js";

/** Messages that the OpenAPI document quotes. */
export const MESSAGES = {
  unauthorized: "Credentials are missing or not valid",
  notFound: "Not found",
  methodNotAllowed: "Only GET and HEAD are allowed",
  targetTooLong: "The request target is too long",
  tooManyRequests: "Too many requests, try again later",
  internal: "Internal server error",
  notRecorded: "The request can't be recorded now, try again later",
} as const;

export function errorReply(status: number, message: string, headers?: HeaderList): Reply {
  return jsonReply(status, JSON.stringify({ message }), headers);
}

export const METHOD_NOT_ALLOWED = errorReply(405, MESSAGES.methodNotAllowed, [
  "Allow",
  "GET, HEAD",
]);
export const TOO_MANY_REQUESTS = errorReply(429, MESSAGES.tooManyRequests);
