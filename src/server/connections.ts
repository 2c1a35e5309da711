import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { nextTick } from "node:process";

/** Reading from a connection is paused at this many open requests. */
const MAX_READ_REQUESTS = 2;
/**
 * The same with TLS, where Node reports an answer as sent only after it has read what else has arrived. By then the next
 * request may be there, and to pause for it would take two system calls.
 */
const MAX_READ_TLS_REQUESTS = 3;
/** The time to receive an answer: this many seconds, and another one for each `MIN_BYTES_PER_SECOND`. */
const SEND_SECONDS = 10;
const MIN_BYTES_PER_SECOND = 32 * 1_024;
const MAX_SEND_SECONDS = 5 * 60;
/** Answers that clients have yet to receive, over all connections. */
const MAX_UNSENT_BYTES = 256 * 1_024 * 1_024;
/** With TLS, they are in memory with and without encryption. */
const TLS_COPIES = 2;
/** Answers that wait for others, to be sent with them. */
const MAX_CORKED_BYTES = 1_024 * 1_024;
/** The time for a TLS handshake, however slowly it arrives. */
const HANDSHAKE_SECONDS = 5;
const REPORT_SECONDS = 60;
/** While draining: a connection without a request for this long is idle, even with a slow network in between. */
const IDLE_GRACE_MS = 200;
/** The same for one that has not begun its TLS handshake: computing its first message takes a client some time. */
const HELLO_GRACE_MS = 500;
/** The time a client has to close its side of a connection. */
const LINGER_MS = 250;
const SWEEP_MS = 20;

const [CR, LF] = Buffer.from("\r\n");
const END_OF_HEADERS = Buffer.from("\r\n\r\n");

export interface ConnectionLimits {
  /** Open connections, 0 for no limit. */
  maxConnections: number;
  /** Called with the number of connections refused since the last call, at most once a minute. */
  onConnectionsRefused: (count: number) => void;
  /** Processes that share the memory for answers. Default 1. */
  workers?: number;
}

/** Node's TLSSocket, with an undocumented property. */
interface TlsSocket extends Socket {
  /** The socket below it. */
  _parent?: Socket;
}

interface ConnectionState {
  /** The socket of the system: for TLS, that below the socket that requests are read from. */
  readonly transport: Socket;
  /** The open requests, in order. Only the first one has been started. */
  readonly turns: { readonly res: ServerResponse; readonly start: () => void }[];
  /** The time left to receive what has been written; undefined while there is nothing to send. */
  secondsLeft: number | undefined;
  /** When the last answer was sent or, before that, the connection opened: `performance.now()`. */
  idleSince: number;
  /** The transport's `bytesRead` at that time. If it grows, a part of the next request has arrived. */
  idleBytes: number;
}

/** The connections of a server, with limits on the memory they use and for how long. */
export class Connections {
  readonly #server: Server;
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<Socket, ConnectionState>();
  /** TLS connections that can't have a request yet: when they were opened, and the seconds left. */
  readonly #handshakes = new Map<Socket, { readonly since: number; secondsLeft: number }>();
  readonly #isTls: boolean;
  readonly #maxRead: number;
  /** The bytes of each answer that is still being sent, the oldest first. */
  readonly #unsent = new Map<Socket, number>();
  #unsentBytes = 0;
  /** Sockets with answers that are about to be sent. */
  #corked: Socket[] = [];
  #corkedBytes = 0;
  #refused = 0;
  #secondsToReport = 0;
  #isDraining = false;
  /** What starts the requests that are held. */
  #held: (() => void)[] | undefined;

  /** Call before the server listens. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server;
    this.#limits = limits;
    if (limits.maxConnections > 0) server.maxConnections = limits.maxConnections;
    // Undocumented. Node would end a connection when the client ends its side, even with unanswered requests.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on("drop", () => this.#refused++);
    this.#isTls = "setSecureContext" in server;
    this.#maxRead = this.#isTls ? MAX_READ_TLS_REQUESTS : MAX_READ_REQUESTS;
    if (!this.#isTls) server.on("connection", (socket) => this.#add(socket, socket));
    else {
      server.on("connection", (socket) => this.#awaitHandshake(socket));
      server.on("secureConnection", (socket: TlsSocket) => this.#add(socket, socket._parent ?? socket));
    }
    server.once("listening", () => {
      const timer = setInterval(() => this.#check(), 1_000).unref();
      server.once("close", () => clearInterval(timer));
    });
    // `server.close` calls this. It would reset connections on which the next request is arriving, or an answer is
    // still being sent.
    server.closeIdleConnections = () => {};
  }

  /** How many are open. */
  get count(): number {
    return this.#connections.size;
  }

  /** Answers the requests of a connection one by one, since all answers that wait to be sent are in memory. */
  inTurn(listener: RequestListener): RequestListener {
    return (req, res) => {
      const { socket } = req;
      const connection = this.#connections.get(socket);
      if (!connection || socket.destroyed) return void req.destroy();
      // It arrived after the server's side was closed. The client sees that, and repeats it on another connection.
      if (socket.writableEnded) return;
      const { turns } = connection;
      const hasBody = announcesBody(req);
      if (hasBody) closeUnread(socket);
      const start = () => {
        // Without a socket, the connection ends with the answer before.
        if (socket.destroyed || !res.socket) return;
        if (this.#held) {
          this.#held.push(start);
          return;
        }
        if (hasBody) res.setHeader("Connection", "close");
        this.#announceClose(connection);
        listener(req, res);
      };
      turns.push({ res, start });
      if (turns.length >= this.#maxRead) socket.pause();
      res.on("close", () => this.#endTurn(socket, connection));
      // Once the parser has seen everything that arrived with the request: what follows it may be an error.
      if (turns.length === 1) nextTick(start);
    };
  }

  #endTurn(socket: Socket, connection: ConnectionState): void {
    const { turns } = connection;
    this.#release(socket);
    connection.secondsLeft = undefined;
    turns.shift();
    connection.idleSince = performance.now();
    connection.idleBytes = connection.transport.bytesRead;
    socket.resume();
    // Lets other connections have their turn. With TLS, they have had it before the answer counts as sent.
    if (turns[0]) (this.#isTls ? nextTick : setImmediate)(turns[0].start);
  }

  /** Starts no more requests until the function is called that this returns. */
  hold(): () => void {
    const held: (() => void)[] = [];
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const start of held) start();
    };
  }

  /**
   * Closes each connection as soon as no request is lost by it: with the answer to its last open request, which says
   * `Connection: close`, or when no request has arrived for a moment. Reads on until the client has closed its side:
   * the system answers unread bytes with a reset, which can discard an answer that the client has not read yet. Call
   * once, after the server has stopped listening.
   */
  drain(): void {
    this.#isDraining = true;
    for (const [socket, connection] of this.#connections) {
      lingerAfterEnd(socket);
      this.#announceClose(connection);
    }
    // `setImmediate`, since timers run before sockets are read.
    const timer = setInterval(() => setImmediate(() => this.#endIdle()), SWEEP_MS);
    this.#server.once("close", () => clearInterval(timer));
    this.#endIdle();
  }

  destroyAll(): void {
    for (const socket of [...this.#handshakes.keys(), ...this.#connections.keys()]) socket.destroy();
  }

  #awaitHandshake(socket: Socket): void {
    this.#handshakes.set(socket, { since: performance.now(), secondsLeft: HANDSHAKE_SECONDS });
    socket.once("close", () => this.#handshakes.delete(socket));
  }

  #add(socket: Socket, transport: Socket): void {
    const connection: ConnectionState = {
      transport,
      turns: [],
      secondsLeft: undefined,
      idleSince: performance.now(),
      idleBytes: transport.bytesRead,
    };
    this.#handshakes.delete(transport);
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    if (this.#isDraining) lingerAfterEnd(socket);
    parseOneByOne(socket);
    // Node calls this after each answer.
    socket.uncork = () => this.#sendSoon(socket);
    // Node resumes a socket after each request that it has parsed.
    socket.resume = () => (connection.turns.length < this.#maxRead ? Socket.prototype.resume.call(socket) : socket);
  }

  /**
   * Sends what has been written to a socket once all requests that have arrived are answered. Sent one by one, each answer
   * would wake up its client: with 32 connections, that took half of the server's time.
   */
  #sendSoon(socket: Socket): void {
    this.#corkedBytes += socket.writableLength;
    if (this.#corked.push(socket) === 1) setImmediate(this.#sendAll);
    if (this.#corkedBytes > MAX_CORKED_BYTES) this.#sendAll();
  }

  readonly #sendAll = (): void => {
    const sockets = this.#corked;
    this.#corked = [];
    this.#corkedBytes = 0;
    for (const socket of sockets) {
      Socket.prototype.uncork.call(socket);
      this.#countUnsent(socket);
    }
  };

  /** While draining, the answer to the last open request says that the connection closes. */
  #announceClose({ turns: [turn, ...rest] }: ConnectionState): void {
    if (this.#isDraining && turn && rest.length === 0 && !turn.res.headersSent)
      turn.res.setHeader("Connection", "close");
  }

  #endIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      const { transport, turns, idleSince, idleBytes } = connection;
      const isIdle = turns.length === 0 && !isSending(socket) && transport.bytesRead === idleBytes;
      if (isIdle && now - idleSince >= IDLE_GRACE_MS) socket.end();
    }
    for (const [socket, { since }] of this.#handshakes) {
      if (socket.bytesRead === 0 && now - since >= HELLO_GRACE_MS) socket.destroy();
    }
  }

  /** Counts what the system did not take at once. Beyond the limit, closes the connections with the oldest answers. */
  #countUnsent(socket: Socket): void {
    if (socket.destroyed || !isSending(socket) || this.#unsent.has(socket)) return;
    const bytes = socket.writableLength * (this.#isTls ? TLS_COPIES : 1);
    this.#unsent.set(socket, bytes);
    this.#unsentBytes += bytes;
    for (const oldest of this.#unsent.keys()) {
      if (this.#unsentBytes <= MAX_UNSENT_BYTES / (this.#limits.workers ?? 1) || oldest === socket) return;
      this.#release(oldest);
      oldest.destroy();
    }
  }

  #release(socket: Socket): void {
    if (this.#unsent.size === 0) return;
    this.#unsentBytes -= this.#unsent.get(socket) ?? 0;
    this.#unsent.delete(socket);
  }

  #check(): void {
    for (const [socket, connection] of this.#connections) checkProgress(socket, connection);
    // A timeout of Node's would restart with each byte.
    for (const [socket, handshake] of this.#handshakes) if (--handshake.secondsLeft < 0) socket.destroy();
    if (--this.#secondsToReport <= 0 && this.#refused > 0) {
      this.#limits.onConnectionsRefused(this.#refused);
      this.#refused = 0;
      this.#secondsToReport = REPORT_SECONDS;
    }
  }
}

/** Called every second. A socket timeout would restart with each byte that a client receives. */
function checkProgress(socket: Socket, connection: ConnectionState): void {
  // An ended socket still has to send its FIN.
  if (!isSending(socket) && !socket.writableEnded) {
    connection.secondsLeft = undefined;
    return;
  }
  connection.secondsLeft ??= Math.min(SEND_SECONDS + socket.writableLength / MIN_BYTES_PER_SECOND, MAX_SEND_SECONDS);
  connection.secondsLeft--;
  if (connection.secondsLeft < 0) socket.destroy();
}

/**
 * Node's parser goes through all of a read, up to 64 KiB, whatever becomes of the first request in it. It gets a part at a
 * time, up to the end of the next headers. If the connection is paused after that, the rest waits.
 */
function parseOneByOne(socket: Socket): void {
  const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
  socket.removeAllListeners("data").on("data", (bytes: Buffer) => {
    for (let start = 0; start < bytes.length && !socket.destroyed; ) {
      if (socket.isPaused()) return void socket.unshift(bytes.subarray(start));
      const end = endOfHeaders(bytes, start);
      parse(bytes.subarray(start, end));
      start = end;
    }
  });
}

function endOfHeaders(bytes: Buffer, start: number): number {
  let end = start;
  // A read can begin among the line breaks.
  while (bytes[end] === CR || bytes[end] === LF) end++;
  if (end > start) return end;
  end = bytes.indexOf(END_OF_HEADERS, start);
  return end < 0 ? bytes.length : end + END_OF_HEADERS.length;
}

/** No request of the API needs a body. To parse one in chunks of a byte each would cost more than any answer. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

/** Reads nothing more from a connection but what fits into the socket's buffer, and closes it after the answer. */
export function closeUnread(socket: Socket): void {
  socket.pause();
  socket.resume = () => socket;
  lingerAfterEnd(socket);
}

/**
 * Keeps a connection open for a moment after the server's side has ended: the system answers unread bytes with a reset,
 * which can discard an answer that the client has yet to read.
 */
function lingerAfterEnd(socket: Socket): void {
  // Node calls it after the last answer.
  socket.destroySoon = () => socket.end();
  socket.once("finish", () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
}

function isSending(socket: Socket): boolean {
  return socket.writableLength > 0;
}
