import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { RateLimiter } from "./rate-limiter.js";
import { jsonHeaders, MESSAGES } from "./replies.js";

const STATUS_BY_CODE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/**
 * Answers what Node's HTTP parser refuses, which no handler ever sees, as the contract wants every answer:
 * with a JSON body and counted.
 */
export function answerParserErrors(server: Server, limiter: RateLimiter): void {
  server.on("clientError", async (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    if (!canAnswer(socket)) return socket.destroy();
    const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
    const { allowed, headers } = await limiter(`address ${socket.remoteAddress}`);
    if (!canAnswer(socket)) return socket.destroy();
    socket.end(
      allowed
        ? rawReply(status, STATUS_CODES[status] ?? "", headers)
        : rawReply(429, MESSAGES.tooManyRequests, headers),
    );
    return;
  });
}

/** False once the client is gone, or while the answer to an earlier request is on its way: ours would fall into it. */
function canAnswer(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket.writable && !socket._httpMessage?.headersSent;
}

function rawReply(status: number, message: string, headers: Record<string, string>): string {
  const body = JSON.stringify({ message });
  const all = {
    ...jsonHeaders(body),
    ...headers,
    Date: new Date().toUTCString(),
    "Cache-Control": "no-store",
    Connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
