import { once } from "node:events";
import {
  createServer,
  type ServerOptions as NodeOptions,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { UsageError } from "../domain/errors.js";
import { formatRateLimit } from "../domain/http-headers.js";
import type { AddressOf } from "./client-address.js";
import { type Connections, closeUnread } from "./connections.js";
import type { RateLimiter } from "./rate-limiter.js";
import { errorReply, type HeaderList, METHOD_NOT_ALLOWED, type Reply, TOO_MANY_REQUESTS } from "./replies.js";
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
  // Node would answer a missing Host itself, uncounted and without a body. `refuseMalformed` answers it.
  requireHostHeader: false,
};

interface ListenerOptions {
  /** In place of the time limits, for tests. */
  limits?: NodeOptions;
  /** Default plain HTTP. */
  tls?: TlsCredentials | undefined;
}

/**
 * A node:http or node:https server without a request listener. Requests that Node hands over as a bare socket are counted
 * and answered with a JSON body too.
 *
 * @param onRequest called for those too
 * @throws UsageError if the TLS credentials can't be used
 */
export async function createListener(
  limiter: RateLimiter,
  addressOf: AddressOf,
  onRequest: (request: ServedRequest) => void = () => {},
  { limits, tls }: ListenerOptions = {},
): Promise<Server> {
  const options = { ...LISTENER_OPTIONS, ...limits };
  // Loaded here, because most servers need no TLS.
  const server = tls ? (await import("./tls.js")).createTlsServer(options, tls) : createServer(options);
  // Node would ask for the body, or answer an unknown `Expect` itself, uncounted and without a body. The header is ignored.
  for (const event of ["checkContinue", "checkExpectation"])
    server.on(event, (req, res) => server.emit("request", req, res));
  const answer = createRawAnswer(limiter, addressOf, onRequest);
  answerParserErrors(server, answer);
  refuseTunnels(server, answer);
  return server;
}

/**
 * Starts to listen and resolves to the port.
 *
 * @throws UsageError for an empty host; the system's error, such as `EADDRINUSE`
 */
export async function bind(server: NetServer, host: string, port: number): Promise<number> {
  // node:net would listen on every address.
  if (host === "") throw new UsageError("the host must be an address or a name");
  return listen(server, { host, port });
}

/** @param place an address, or the handle of a socket that other processes listen on too */
export async function listen(server: NetServer, place: object): Promise<number> {
  server.listen(place);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** How long new connections may keep a server from closing. Less than the time after which a connection is idle. */
const MAX_ACCEPT_MS = 100;
/** So many are accepted in any case: a busy process takes longer. */
const MIN_ACCEPTED = 64;
/** The same for each of several processes, which do not begin at the same moment: at least. */
const MIN_SHARED_ACCEPT_MS = 20;
/** How long they wait for each other. */
const MAX_HOLD_MS = 1_000;

/**
 * Stops accepting connections, and resolves when the open requests are answered and all connections closed. Those that
 * are still open after `graceMs` are destroyed. Call once.
 *
 * Until the socket is closed, requests are held, not answered: clients with a connection for each request would make more
 * and more of them, and the system resets those that have not been accepted.
 *
 * @param untilClosed resolves when all other processes that listen on the same socket have closed it
 */
export async function drain(
  server: Server,
  connections: Connections,
  graceMs: number,
  untilClosed?: () => Promise<unknown>,
): Promise<void> {
  const release = connections.hold();
  await acceptPending(server, untilClosed ? MIN_SHARED_ACCEPT_MS : 0);
  return new Promise((resolve) => {
    const timer = setTimeout(() => connections.destroyAll(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    connections.drain();
    if (!untilClosed) return release();
    return void Promise.race([untilClosed(), delay(MAX_HOLD_MS, undefined, { ref: false })]).then(release);
  });
}

/** Accepts the connections that the system has already made. */
async function acceptPending(server: Server, minMs: number): Promise<void> {
  const startedAt = performance.now();
  let accepted = 0;
  server.on("connection", () => accepted++);
  let before = -1;
  let ms = 0;
  while (ms < minMs || (accepted > before && (ms < MAX_ACCEPT_MS || accepted < MIN_ACCEPTED))) {
    before = accepted;
    // Node accepts one connection in each round of its event loop.
    await setImmediate();
    await setImmediate();
    ms = performance.now() - startedAt;
  }
}

const STATUS_BY_CODE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** A socket with the response that Node is sending on it. */
interface AnsweringSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/** Answers requests that the HTTP parser refuses. */
function answerParserErrors(server: Server, answer: RawAnswer): void {
  server.on("clientError", async (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, stream) => {
    const socket = stream as AnsweringSocket;
    const pending = socket._httpMessage;
    // Garbage after a request: that one still gets its answer, and then the connection ends.
    if (pending) {
      if (!pending.headersSent) pending.setHeader("Connection", "close");
      return closeUnread(socket);
    }
    const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
    // A guess: the parser passes on the bytes at which it stopped.
    const isHead = error.rawPacket?.toString("latin1", 0, 5) === "HEAD ";
    // Its headers are not known.
    await answer({ socket, headers: {} }, errorReply(status, STATUS_CODES[status] ?? ""), isHead);
  });
}

/** Answers CONNECT, the method that requests a tunnel. */
function refuseTunnels(server: Server, answer: RawAnswer): void {
  server.on("connect", (req) => {
    // Not the socket that Node passes: it may be a wrapper that first lets the request's body through.
    const socket = req.socket as AnsweringSocket;
    // The client would take this for the answer to the request before it.
    if (socket._httpMessage) return void socket.destroy();
    return answer(req, METHOD_NOT_ALLOWED);
  });
}

/** @param isHead whether to leave out the body, as for every HEAD */
type RawAnswer = (req: Parameters<AddressOf>[0], reply: Reply, isHead?: boolean) => Promise<void>;

function createRawAnswer(
  limiter: RateLimiter,
  addressOf: AddressOf,
  onRequest: (request: ServedRequest) => void,
): RawAnswer {
  return async (req, reply, isHead = false) => {
    const { socket } = req;
    closeUnread(socket);
    // The client may disconnect at any time, also while the request is counted.
    socket.on("error", () => socket.destroy());
    const address = addressOf(req);
    const { rateLimit, retryAfter } = await limiter.count({ kind: "address", id: address });
    if (!socket.writable) return void socket.destroy();
    const sent = retryAfter === undefined ? reply : TOO_MANY_REQUESTS;
    socket.end(rawReply(formatRateLimit(rateLimit, retryAfter), sent, isHead));
    onRequest(unparsedRequest(address, sent, isHead));
  };
}

function rawReply(counted: HeaderList, { status, headers, body }: Reply, isHead: boolean): string {
  const ofConnection = ["Date", new Date().toUTCString(), "Cache-Control", "no-store", "Connection", "close"];
  const all = [...counted, ...headers, ...ofConnection];
  const lines = all.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${isHead ? "" : body}`;
}
