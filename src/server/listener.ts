import { once } from "node:events";
import {
  createServer,
  type ServerOptions as NodeOptions,
  type Server,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { UsageError } from "../kit/text/errors.js";
import { formatRateLimit } from "../model/http-headers.js";
import type { AddressOf } from "./client-address.js";
import { type Connections, Request } from "./connections.js";
import { errorReply, METHOD_NOT_ALLOWED, TOO_MANY_REQUESTS } from "./error-replies.js";
import type { RateLimiter } from "./rate-limiter.js";
import { endSoon, NOT_STORED, type Reply, rawReply, stopParsing } from "./replies.js";
import { type ServedRequest, unparsedRequest } from "./served-request.js";
import type { TlsCredentials } from "./tls.js";

// Headers that take too long are cut off after 5 to 6 s; Node's default is 60 s.
export const LISTENER_OPTIONS: NodeOptions = {
  headersTimeout: 5_000,
  // Bodies are not read: with one, a request is never complete.
  requestTimeout: 0,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1_024,
  // Node would answer a missing Host itself, uncounted and without a body. `findMalformation`
  // refuses it.
  requireHostHeader: false,
};

/**
 * A node:http or node:https server without a request listener.
 *
 * @param tls default plain HTTP
 * @param limits in place of the time limits, for tests
 * @throws UsageError if the TLS credentials can't be used
 */
export async function createListener(
  tls?: TlsCredentials | undefined,
  limits?: NodeOptions,
): Promise<Server> {
  const options = { ...LISTENER_OPTIONS, ...limits, IncomingMessage: Request };
  // Loaded here, because most servers need no TLS.
  const server = tls
    ? (await import("./tls.js")).createTlsServer(options, tls)
    : createServer(options);
  // Node would ask for the body, or answer an unknown `Expect` itself, uncounted and without a
  // body. The header is ignored.
  for (const event of ["checkContinue", "checkExpectation"])
    server.on(event, (req, res) => server.emit("request", req, res));
  return server;
}

interface UnparsedDependencies {
  limiter: RateLimiter;
  addressOf: AddressOf;
  /** Called for each such request. */
  onRequest: (request: ServedRequest) => void;
}

/** Counts requests that Node hands over as a bare socket, and answers them with a JSON body too. */
export function answerUnparsed(connections: Connections, dependencies: UnparsedDependencies): void {
  const answer = createRawAnswer(connections, dependencies);
  answerParserErrors(connections.server, answer);
  refuseTunnels(connections.server, answer);
}

/**
 * Resolves to where the server listens. @param fd in place of the others: a socket to listen on
 *
 * @throws UsageError for an empty host; the system's error, such as `EADDRINUSE`
 */
export async function listen(
  server: NetServer,
  { host, port, fd }: { host: string; port: number; fd?: number | undefined },
): Promise<AddressInfo> {
  // node:net would listen on every address.
  if (host === "") throw new UsageError("the host must be an address or a name");
  server.listen(fd === undefined ? { host, port } : { fd });
  await once(server, "listening");
  return server.address() as AddressInfo;
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
  { limiter, addressOf, onRequest }: UnparsedDependencies,
): RawAnswer {
  return (req, reply, isHead = false) => {
    const { socket } = req;
    stopParsing(socket);
    socket.on("error", () => socket.destroy());
    connections.wait(socket, () => {
      const address = addressOf(req);
      const { rateLimit, retryAfter } = limiter.count({ kind: "address", id: address });
      const sent = retryAfter === undefined ? reply : TOO_MANY_REQUESTS;
      const headers = [...NOT_STORED, ...formatRateLimit(rateLimit, retryAfter), ...sent.headers];
      endSoon(socket, rawReply({ ...sent, headers }, isHead));
      onRequest(unparsedRequest(address, sent, isHead));
    });
  };
}
