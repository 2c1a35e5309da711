import { once } from "node:events";
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { DEFAULT_MAX_CONNECTIONS } from "../../model/defaults.js";
import { announcesBody, dropBody, endSoon } from "./replies.js";

/** The time for making and receiving an answer. */
const MAX_ANSWER_MS = 60_000;
const REPORT_SECONDS = 60;
/**
 * Idle connections are closed after this time, a second later than clients are
 * told.
 */
const IDLE_MS = 6_000;
/** The idle time while draining, enough for a slow network. */
const IDLE_GRACE_MS = 200;
/**
 * The time for the first bytes while draining: a TLS handshake takes time to
 * compute.
 */
const HELLO_GRACE_MS = 500;
const SWEEP_MS = 50;
/**
 * Waiting requests per connection. Each takes about 2 KB, for as few as 18
 * bytes from a client.
 */
const MAX_WAITING = 100;

export interface ConnectionLimits {
  /**
   * Open connections, 0 for no limit. More are closed immediately. Default
   * 1,000.
   */
  maxConnections?: number;
  /**
   * Called with the number of connections refused since the last call, at most
   * once a minute.
   */
  onConnectionsRefused?: (count: number) => void;
}

interface ConnectionState {
  /** The answer to the open request. */
  res: ServerResponse | undefined;
  /**
   * When a request began or was answered or, between requests, more bytes were
   * seen.
   */
  since: number;
  /** The bytes that were read up to `since`. */
  bytesRead: number;
  /** Requests that arrived while another was open. */
  readonly waiting: ((connection: ConnectionState) => void)[];
}

/**
 * Stops Node's parser at a destroyed connection, as at an upgrade. Otherwise,
 * it would parse all that was read: 64 KiB can hold 3,600 requests.
 */
export class Request extends IncomingMessage {
  get upgrade(): boolean {
    return this.method === "CONNECT" || this.socket.destroyed;
  }

  /** Ignores what Node sets from the headers. */
  set upgrade(_upgrade: boolean) {}
}

/**
 * The connections of a server. Each has one open request: others wait until it
 * is answered.
 */
export class Connections {
  readonly server: Server;
  readonly #limits: ConnectionLimits;
  /** All TCP sockets. With TLS, `#connections` has the sockets on top of them. */
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<Socket, ConnectionState>();
  #refused = 0;
  #secondsToReport = 0;
  #isDraining = false;

  /** Call before the server listens. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.server = server;
    this.#limits = limits;
    const { maxConnections = DEFAULT_MAX_CONNECTIONS } = limits;
    // Checking all connections every second costs less than two timers for each
    // request.
    server.keepAliveTimeout = 0;
    // Not in the types. A client that ends its side still gets its answers.
    Object.assign(server, { httpAllowHalfOpen: true });
    if (maxConnections > 0) server.maxConnections = maxConnections;
    server.on("drop", () => this.#refused++);
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("setSecureContext" in server ? "secureConnection" : "connection", this.#add);
    const timer = setInterval(() => this.#check(), 1_000).unref();
    server.once("close", () => clearInterval(timer));
  }

  get count(): number {
    return this.#connections.size;
  }

  /** Returns a listener that handles one request of each connection at a time. */
  oneAtATime(listener: RequestListener): RequestListener {
    return (req, res) => {
      const { socket } = req;
      if (announcesBody(req)) dropBody(req);
      this.wait(socket, (connection) => {
        connection.res = res;
        connection.since = performance.now();
        res.once("close", () => {
          connection.res = undefined;
          connection.since = performance.now();
          connection.bytesRead = socket.bytesRead;
          const next = connection.waiting.shift();
          if (next && socket.writable) next(connection);
          else socket.resume();
        });
        if (this.#isDraining) res.setHeader("Connection", "close");
        listener(req, res);
      });
    };
  }

  /**
   * Calls `proceed` once earlier requests are answered, unless the connection
   * ends before.
   */
  wait(socket: Socket, proceed: (connection: ConnectionState) => void): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { res, waiting } = connection;
    if (!res) return void (socket.writable && proceed(connection));
    if (waiting.length === MAX_WAITING) return void socket.destroy();
    // Deferred: Node resumes the socket after each request in a read.
    waiting.push(proceed);
    queueMicrotask(() => waiting.length > 0 && socket.pause());
  }

  /**
   * Stops listening, and resolves once the open requests are answered and all
   * connections closed. Destroys connections that are still open after
   * `graceMs`. Call once.
   */
  async close(graceMs: number): Promise<void> {
    const closed = once(this.server, "close");
    // The server's own `close` would also reset connections on which the next
    // request is arriving.
    NetServer.prototype.close.call(this.server);
    this.#isDraining = true;
    const startedAt = performance.now();
    for (const connection of this.#connections.values()) {
      if (!connection.res) connection.since = startedAt;
      else if (!connection.res.headersSent) connection.res.setHeader("Connection", "close");
    }
    const timers = [
      setInterval(() => {
        if (performance.now() - startedAt >= HELLO_GRACE_MS)
          for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
        this.#endIdle(IDLE_GRACE_MS);
      }, SWEEP_MS),
      setTimeout(() => {
        for (const socket of this.#sockets) socket.destroy();
      }, graceMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  readonly #add = (socket: Socket): void => {
    const since = performance.now();
    this.#connections.set(socket, { res: undefined, since, bytesRead: 0, waiting: [] });
    socket.once("close", () => this.#connections.delete(socket));
  };

  #endIdle(graceMs: number): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      if (connection.res || socket.writableEnded) continue;
      if (socket.bytesRead > connection.bytesRead) {
        connection.bytesRead = socket.bytesRead;
        connection.since = now;
      } else if (now - connection.since >= graceMs) endSoon(socket);
    }
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, { since }] of this.#connections)
      if (now - since > MAX_ANSWER_MS) socket.destroy();
    this.#endIdle(IDLE_MS);
    if (--this.#secondsToReport > 0 || this.#refused === 0) return;
    this.#limits.onConnectionsRefused?.(this.#refused);
    this.#refused = 0;
    this.#secondsToReport = REPORT_SECONDS;
  }
}
