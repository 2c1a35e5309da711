import type { IncomingMessage, ServerResponse } from "node:http";
import etag from "etag";
import fresh from "fresh";

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
} as const;

/** Sends `body` as JSON; for HEAD, Node leaves it out. */
export function sendJson(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  res.writeHead(status, jsonHeaders(text)).end(text);
}

export function sendError(res: ServerResponse, status: number, message: string): void {
  sendJson(res, status, { message });
}

/** Sends data with its ETag, or 304 if the client has it already. */
export function sendData(req: IncomingMessage, res: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  const tag = etag(text);
  res.setHeader("ETag", tag);
  if (fresh(req.headers, { etag: tag })) res.writeHead(304).end();
  else res.writeHead(200, jsonHeaders(text)).end(text);
}

export function jsonHeaders(text: string): Record<string, string> {
  return {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(text)),
  };
}
