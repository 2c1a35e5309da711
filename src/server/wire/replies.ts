import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** The time a client has to close its side of a connection. */
const LINGER_MS = 250;

/**
 * Names and values in turn, for `writeHead`: each `setHeader` would cost 0.3
 * µs.
 */
export type HeaderList = readonly string[];

/** The headers of every answer. */
export const NO_STORE: HeaderList = ["Cache-Control", "no-store"];

/**
 * Tells clients when a connection is closed, a second before `Connections`
 * closes it.
 */
const KEEP_ALIVE: HeaderList = ["Keep-Alive", "timeout=5"];

export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  /** Empty, or JSON. */
  readonly body: string;
}

/** @param headers come before the headers of the body */
export function jsonReply(status: number, json: string, headers: HeaderList = []): Reply {
  const length = String(Buffer.byteLength(json));
  const type = "application/json; charset=utf-8";
  const all = [...headers, "Content-Type", type, "Content-Length", length];
  return { status, headers: all, body: json };
}

/**
 * Answers a request. If it announces a body, which is not read, the connection
 * ends.
 */
export function sendReply(req: IncomingMessage, res: ServerResponse, reply: Reply): void {
  if (announcesBody(req)) {
    endSoon(req.socket, rawReply(req.method === "HEAD" ? { ...reply, body: "" } : reply));
    return;
  }
  const { status, headers, body } = reply;
  waiting.push(() => {
    const isClosed =
      !res.shouldKeepAlive || headers.includes("Connection") || res.hasHeader("Connection");
    res.writeHead(status, isClosed ? [...headers] : headers.concat(KEEP_ALIVE));
    // For HEAD, Node leaves the body out.
    res.end(body);
  });
  if (waiting.length === 1) setImmediate(sendWaiting);
}

/**
 * No request of the API needs a body. Parsing one in chunks of a byte would
 * cost too much.
 */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

/** Discards a body. Only the part that arrived with the request is parsed. */
export function dropBody(req: IncomingMessage): void {
  // 64 KiB of one-byte chunks would take 5 MB.
  req.push = () => true;
  stopParsing(req.socket);
}

/** Stops Node's parser. The socket still reads until its buffer is full. */
export function stopParsing(socket: Socket): void {
  // Node's parser may have paused it, and unread bytes cause a reset.
  socket.removeAllListeners("data").on("data", () => {});
  // Deferred: Node resumes the socket after each request in a read.
  queueMicrotask(() => socket.pause());
}

/**
 * Answers to requests that arrived together, which are sent together: waking up
 * the client for each took half of the server's time with 32 connections on one
 * machine.
 */
let waiting: (() => void)[] = [];

function sendWaiting(): void {
  const writes = waiting;
  waiting = [];
  for (const write of writes) write();
}

/**
 * Ends a connection after a moment: a reset for unread bytes could discard the
 * last answer.
 */
export function endSoon(socket: Socket, text = ""): void {
  stopParsing(socket);
  socket.end(text);
  socket.once("finish", () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
}

/** Formats an answer as HTTP/1.1 text. */
export function rawReply({ status, headers, body }: Reply): string {
  const close = headers.includes("Connection") ? [] : ["Connection", "close"];
  const all = [...headers, "Date", new Date().toUTCString(), ...close];
  const lines = all.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
