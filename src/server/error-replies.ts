import { type HeaderList, jsonReply, type Reply } from "./replies.js";

export const MESSAGES = {
  badTarget: "The request target must be a path with valid percent-encoding",
  noHost: "The Host header must be sent, once",
  unauthorized: "Credentials are missing or not valid",
  notFound: "Not found",
  methodNotAllowed: "Only GET and HEAD are allowed",
  tooManyHeaders: "The request has too many headers",
  targetTooLong: "The request target is too long",
  tooManyRequests: "Too many requests, try again later",
  tooManyWithoutKey: "Too many requests without x-api-key, try again later or send it",
  internal: "Internal server error",
  notRecording: "requests can't be recorded; reads are answered 503",
  notRecorded: "The request can't be recorded now, try again later",
} as const;

export function errorReply(status: number, message: string, headers?: HeaderList): Reply {
  return jsonReply(status, JSON.stringify({ message }), headers);
}

export const METHOD_NOT_ALLOWED = errorReply(405, MESSAGES.methodNotAllowed, ["Allow", "GET, HEAD"]);
export const TOO_MANY_REQUESTS = errorReply(429, MESSAGES.tooManyRequests);
