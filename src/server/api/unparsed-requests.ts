import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { AddressOf } from "../limits/client-address.js";
import { rateLimitHeaders } from "../limits/rate-limiter.js";
import type { Connections } from "../wire/connections.js";
import { endSoon, NOT_STORED, type Reply, rawReply, stopParsing } from "../wire/replies.js";
import { errorReply, METHOD_NOT_ALLOWED, TOO_MANY_REQUESTS } from "./error-replies.js";
import type { RequestChainParts } from "./request-chain.js";
import type { ServedRequest } from "./served-request.js";

type UnparsedParts = Pick<RequestChainParts, "limiter" | "addressOf" | "audit" | "onRequest">;

/** Counts requests that Node hands over as a bare socket, and answers them with a JSON body too. */
export function answerUnparsed(connections: Connections, parts: UnparsedParts): void {
  const answer = createRawAnswer(connections, parts);
  answerParserErrors(connections.server, answer);
  refuseTunnels(connections.server, answer);
}

const STATUS_BY_CODE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** Answers requests that the HTTP parser refuses. */
function answerParserErrors(server: Server, answer: RawAnswer): void {
  server.on("clientError", (error: ParserError, stream) => {
    const socket = stream as Socket;
    const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
    // While it is paused, the server has yet to read the rest of a request.
    if (!socket.writable || (status === 408 && socket.isPaused())) return;
    // A guess: what it has parsed of the read can begin with other requests.
    const parsed = error.rawPacket?.toString("latin1", 0, error.bytesParsed).split("\r\n\r\n");
    const isHead = parsed?.at(-1)?.startsWith("HEAD ");
    // Its headers are not known.
    return answer({ socket, headers: {} }, errorReply(status, STATUS_CODES[status] ?? ""), isHead);
  });
}

/** Answers CONNECT, the method that requests a tunnel. */
function refuseTunnels(server: Server, answer: RawAnswer): void {
  // Not the socket that Node passes: it may be a wrapper that first lets the request's body
  // through.
  server.on("connect", (req) => answer(req, METHOD_NOT_ALLOWED));
}

/** @param isHead whether to leave out the body, as for every HEAD */
type RawAnswer = (req: Parameters<AddressOf>[0], reply: Reply, isHead?: boolean) => void;

function createRawAnswer(
  connections: Connections,
  { limiter, addressOf, audit, onRequest }: UnparsedParts,
): RawAnswer {
  return (req, reply, isHead = false) => {
    const { socket } = req;
    stopParsing(socket);
    socket.on("error", () => socket.destroy());
    connections.wait(socket, () => {
      const address = addressOf(req);
      const { rateLimit, retryAfter } = limiter.count({ kind: "address", id: address });
      const sent = retryAfter === undefined ? reply : TOO_MANY_REQUESTS;
      const headers = [...NOT_STORED, ...rateLimitHeaders(rateLimit, retryAfter), ...sent.headers];
      endSoon(socket, rawReply({ ...sent, headers }, isHead));
      const request = unparsedRequest(address, sent, isHead);
      audit?.record(request);
      onRequest?.(request);
    });
  };
}

function unparsedRequest(address: string, { status, body }: Reply, isHead: boolean): ServedRequest {
  return {
    id: randomUUID(),
    method: undefined,
    path: "",
    route: undefined,
    apiKey: undefined,
    client: undefined,
    status,
    milliseconds: 0,
    bytes: isHead ? 0 : Buffer.byteLength(body),
    address,
    counter: "address",
  };
}
