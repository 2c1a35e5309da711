import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { RateLimiter } from "./rate-limiter.js";
import { jsonHeaders, MESSAGES } from "./replies.js";

// What Node hands over as a bare socket, and no handler ever sees, is answered here as the contract wants
// every answer: with a JSON body, and counted.

const STATUS_BY_CODE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** Answers what the HTTP parser refuses. */
export function answerParserErrors(server: Server, limiter: RateLimiter): void {
  const newest = new WeakMap<Socket, IncomingMessage>();
  server.prependListener("request", (req) => newest.set(req.socket, req));
  server.on("clientError", async (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, stream) => {
    const socket = stream as AnsweringSocket;
    const pending = socket._httpMessage;
    // Garbage behind a whole request: that one still gets its answer, and then the connection ends.
    if (pending?.req.complete) {
      if (!pending.headersSent) pending.setHeader("Connection", "close");
      return;
    }
    // Half of another answer is out already: ours would fall into it.
    if (pending?.headersSent) return void socket.destroy();
    // It is the body of a request that has its answer already: another would be taken for that of the next request.
    if (!pending && newest.get(socket)?.complete === false) return void socket.destroy();
    const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
    // As far as can be told: the parser hands over the bytes that it stumbled on.
    const isHead = error.rawPacket?.toString("latin1", 0, 5) === "HEAD ";
    await answer(socket, limiter, { status, message: STATUS_CODES[status] ?? "", isHead });
  });
}

/** Answers CONNECT, the method that asks for a tunnel. */
export function refuseTunnels(server: Server, limiter: RateLimiter): void {
  server.on("connect", (_req, stream) =>
    answer(stream as Socket, limiter, {
      status: 405,
      message: MESSAGES.methodNotAllowed,
      headers: { Allow: "GET, HEAD" },
    }),
  );
}

/** A socket with the response that Node is busy with on it. */
interface AnsweringSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

interface RawReply {
  status: number;
  message: string;
  headers?: Record<string, string>;
  /** Whether the body is left out, as for every HEAD. */
  isHead?: boolean;
}

async function answer(socket: Socket, limiter: RateLimiter, reply: RawReply): Promise<void> {
  // The client may be gone, now or while the request is counted.
  socket.on("error", () => socket.destroy());
  const { allowed, headers } = await limiter(`address ${socket.remoteAddress}`);
  if (!socket.writable) return void socket.destroy();
  if (allowed) socket.end(rawReply({ ...reply, headers: { ...headers, ...reply.headers } }));
  else socket.end(rawReply({ ...reply, status: 429, message: MESSAGES.tooManyRequests, headers }));
}

function rawReply({ status, message, headers, isHead = false }: RawReply): string {
  const body = JSON.stringify({ message });
  const lines = Object.entries({
    ...jsonHeaders(body),
    ...headers,
    Date: new Date().toUTCString(),
    "Cache-Control": "no-store",
    Connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${isHead ? "" : body}`;
}
