import type { RecordIdentity } from "../service/environment-view.js";

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
  notRecorded: "The request can't be recorded now, try again later",
} as const;

/** Names and values in turn, the form that `writeHead` takes without a copy: a call of `setHeader` each costs 0.3 µs. */
export type HeaderList = readonly string[];

/** In every answer. */
export const NOT_STORED: HeaderList = ["Cache-Control", "no-store"];

/** An answer, which can be prepared once and sent many times. */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  /** Empty, or JSON. */
  readonly body: string;
  /** The variables and values that it tells of, for an audit log. */
  readonly read?: readonly RecordIdentity[] | undefined;
}

/** An answer with this JSON. @param headers further ones, which come first */
export function jsonReply(status: number, json: string, headers: HeaderList = []): Reply {
  const length = String(Buffer.byteLength(json));
  const ofBody = ["Content-Type", "application/json; charset=utf-8", "Content-Length", length];
  return { status, headers: [...headers, ...ofBody], body: json };
}

export function errorReply(status: number, message: string, headers?: HeaderList): Reply {
  return jsonReply(status, JSON.stringify({ message }), headers);
}

export const METHOD_NOT_ALLOWED = errorReply(405, MESSAGES.methodNotAllowed, ["Allow", "GET, HEAD"]);
export const TOO_MANY_REQUESTS = errorReply(429, MESSAGES.tooManyRequests);
