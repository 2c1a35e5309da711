import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { AddressOf } from "../limits/client-address.js";
import { rateLimitHeaders } from "../limits/rate-limiter.js";
import type { Connections } from "../wire/connections.js";
import { endSoon, NO_STORE, type Reply, rawReply, stopParsing } from "../wire/replies.js";
import { errorReply, METHOD_NOT_ALLOWED, TOO_MANY_REQUESTS } from "./error-replies.js";
import type { RequestChainParts } from "./request-chain.js";

type UnparsedParts = Pick<RequestChainParts, "limiter" | "addressOf" | "audit" | "onRequest">;

const STATUS_BY_CODE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/**
 * Guesses whether the method is HEAD: the parsed bytes may begin with other
 * requests.
 */
function hasMethodHead({ rawPacket, bytesParsed }: ParserError): boolean {
  const parsed = rawPacket?.toString("latin1", 0, bytesParsed).split("\r\n\r\n");
  return parsed?.at(-1)?.startsWith("HEAD ") === true;
}

/** Counts and answers the requests that Node hands over as a bare socket. */
export function answerUnparsed(connections: Connections, parts: UnparsedParts): void {
  connections.server
    // Requests that the HTTP parser refuses.
    .on("clientError", (error: ParserError, stream) => {
      const socket = stream as Socket;
      const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
      // While it is paused, the server has yet to read the rest of a request.
      if (!socket.writable || (status === 408 && socket.isPaused())) return;
      // The headers are not known.
      const reply = errorReply(status, STATUS_CODES[status] ?? "");
      answerRaw(connections, parts, { socket, headers: {} }, reply, hasMethodHead(error));
    })
    // Requests for a tunnel. Node's socket argument may be a wrapper that
    // passes the body first.
    .on("connect", (req) => answerRaw(connections, parts, req, METHOD_NOT_ALLOWED));
}

function answerRaw(
  connections: Connections,
  { limiter, addressOf, audit, onRequest }: UnparsedParts,
  req: Parameters<AddressOf>[0],
  reply: Reply,
  isHead = false,
): void {
  const { socket } = req;
  stopParsing(socket);
  socket.on("error", () => socket.destroy());
  connections.wait(socket, () => {
    const address = addressOf(req);
    const { rateLimit, retryAfter } = limiter.count({ kind: "address", id: address });
    const { status, headers, body: text } = retryAfter === undefined ? reply : TOO_MANY_REQUESTS;
    const body = isHead ? "" : text;
    const limits = rateLimitHeaders(rateLimit, retryAfter);
    endSoon(socket, rawReply({ status, headers: [...NO_STORE, ...limits, ...headers], body }));
    const described = { id: randomUUID(), path: "", address, counter: "address" as const };
    const request = { ...described, status, bytes: Buffer.byteLength(body), milliseconds: 0 };
    audit?.record(request);
    onRequest?.(request);
  });
}
