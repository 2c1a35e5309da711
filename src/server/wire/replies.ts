import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/**
 * Names and values in turn, the form that `writeHead` takes without a copy: a call of `setHeader`
 * each costs 0.3 µs.
 */
export type HeaderList = readonly string[];

/** In every answer. */
export const NOT_STORED: HeaderList = ["Cache-Control", "no-store"];

/** The time that a client may let pass before its next request: see `Connections`. */
const KEPT_OPEN: HeaderList = ["Keep-Alive", "timeout=5"];

/** An answer, which can be prepared once and sent many times. */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  /** Empty, or JSON. */
  readonly body: string;
}

/** An answer with this JSON. @param headers further ones, which come first */
export function jsonReply(status: number, json: string, headers: HeaderList = []): Reply {
  const length = String(Buffer.byteLength(json));
  const ofBody = ["Content-Type", "application/json; charset=utf-8", "Content-Length", length];
  return { status, headers: [...headers, ...ofBody], body: json };
}

/** The time a client has to close its side of a connection. */
const LINGER_MS = 250;

/** Answers a request. If it announces a body, that is not read, and the connection ends. */
export function sendReply(req: IncomingMessage, res: ServerResponse, reply: Reply): void {
  if (announcesBody(req)) {
    endSoon(req.socket, rawReply(req.method === "HEAD" ? { ...reply, body: "" } : reply));
    return;
  }
  const { status, headers, body } = reply;
  waiting.push(() => {
    const isClosed =
      !res.shouldKeepAlive || headers.includes("Connection") || res.hasHeader("Connection");
    res.writeHead(status, isClosed ? [...headers] : headers.concat(KEPT_OPEN));
    // For HEAD, Node leaves the body out.
    res.end(body);
  });
  if (waiting.length === 1) setImmediate(sendWaiting);
}

/** No request of the API needs a body. Parsing one in chunks of a byte would cost too much. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

/** Parses no more of a body than the read that contains its request, and keeps nothing of it. */
export function dropBody(req: IncomingMessage): void {
  // 64 KiB of chunks of a byte each would take 5 MB.
  req.push = () => true;
  stopParsing(req.socket);
}

/**
 * Gives Node's parser nothing more of a connection. The socket still reads until its buffer is
 * full.
 */
export function stopParsing(socket: Socket): void {
  // In place of Node's parser, with which a paused socket reads nothing: unread bytes end the
  // connection with a reset.
  socket.removeAllListeners("data").on("data", () => {});
  // Not now: at the end of each request in a read, Node resumes the socket.
  queueMicrotask(() => socket.pause());
}

/**
 * Answers to all requests that have arrived together are sent together: each one wakes up its
 * client. With 32 connections on one machine, that took half of the server's time.
 */
let waiting: (() => void)[] = [];

function sendWaiting(): void {
  const writes = waiting;
  waiting = [];
  for (const write of writes) write();
}

/**
 * Ends a connection, and keeps it open for a moment: the system answers unread bytes with a reset,
 * which can discard an answer that the client has yet to read.
 */
export function endSoon(socket: Socket, text = ""): void {
  stopParsing(socket);
  socket.end(text);
  socket.once("finish", () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
}

/** An answer as it is sent. */
export function rawReply({ status, headers, body }: Reply): string {
  const close = headers.includes("Connection") ? [] : ["Connection", "close"];
  const all = [...headers, "Date", new Date().toUTCString(), ...close];
  const lines = all.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
