import { once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { endSoon, sendWaiting } from "./replies.js";

/** The time to make and to receive an answer. */
const MAX_ANSWER_MS = 60_000;
const REPORT_SECONDS = 60;
/** A connection without a request for this long is closed: a second later than clients are told. */
const IDLE_MS = 6_000;
/** While draining: a connection without a request for this long is idle, even with a slow network in between. */
const IDLE_GRACE_MS = 200;
/** The same for one that nothing has been sent on, not even the first message of TLS, which takes time to compute. */
const HELLO_GRACE_MS = 500;
const SWEEP_MS = 50;

const [CR, LF] = Buffer.from("\r\n");
const END_OF_HEADERS = Buffer.from("\r\n\r\n");

export interface ConnectionLimits {
  /** Open connections, 0 for no limit. */
  maxConnections: number;
  /** Called with the number of connections refused since the last call, at most once a minute. */
  onConnectionsRefused: (count: number) => void;
}

interface ConnectionState {
  /** The answer to the open request. */
  res: ServerResponse | undefined;
  /** When the last bytes of a request arrived or, if that was later, an answer was sent: `performance.now()`. */
  since: number;
}

/** The connections of a server. Each has one request at a time: the next one is not parsed before the answer is sent. */
export class Connections {
  readonly #server: Server;
  readonly #limits: ConnectionLimits;
  /** All sockets of the system. Those of TLS connections are not in `#connections`. */
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<Socket, ConnectionState>();
  #refused = 0;
  #secondsToReport = 0;
  #isDraining = false;

  /** Call before the server listens. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server;
    this.#limits = limits;
    // Two timers for each request would cost more than a look at all connections in each second.
    server.keepAliveTimeout = 0;
    if (limits.maxConnections > 0) server.maxConnections = limits.maxConnections;
    server.on("drop", () => this.#refused++);
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("setSecureContext" in server ? "secureConnection" : "connection", this.#add);
    const timer = setInterval(() => this.#check(), 1_000).unref();
    server.once("close", () => clearInterval(timer));
  }

  /** How many are open. */
  get count(): number {
    return this.#connections.size;
  }

  /** Keeps track of the open request of each connection. */
  inTurn(listener: RequestListener): RequestListener {
    return (req, res) => {
      const { socket } = req;
      const connection = this.#connections.get(socket);
      if (!connection) return void socket.destroy();
      connection.res = res;
      res.once("close", () => {
        connection.res = undefined;
        connection.since = performance.now();
        socket.resume();
      });
      if (this.#isDraining) res.setHeader("Connection", "close");
      listener(req, res);
    };
  }

  /**
   * Stops listening, and resolves when the open requests are answered and all connections closed. Those that are still
   * open after `graceMs` are destroyed. Call once.
   */
  async close(graceMs: number): Promise<void> {
    const closed = once(this.#server, "close");
    // The server's own `close` would also reset connections on which the next request is arriving.
    NetServer.prototype.close.call(this.#server);
    this.#isDraining = true;
    const now = performance.now();
    for (const connection of this.#connections.values()) {
      if (!connection.res) connection.since = now;
      else if (!connection.res.headersSent) connection.res.setHeader("Connection", "close");
    }
    const timers = [setInterval(() => this.#endDrained(now), SWEEP_MS), setTimeout(() => this.#destroyAll(), graceMs)];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  readonly #add = (socket: Socket): void => {
    const connection: ConnectionState = { res: undefined, since: performance.now() };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    // Before the listener of Node, which ends the server's side too.
    socket.prependListener("end", sendWaiting);
    parseInTurn(socket, connection);
  };

  /** @param drainedAt when draining began */
  #endDrained(drainedAt: number): void {
    if (performance.now() - drainedAt >= HELLO_GRACE_MS)
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    this.#endIdle(IDLE_GRACE_MS);
  }

  #endIdle(graceMs: number): void {
    const now = performance.now();
    for (const [socket, { res, since }] of this.#connections)
      if (!res && !socket.writableEnded && now - since >= graceMs) endSoon(socket);
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, { res, since }] of this.#connections) if (res && now - since > MAX_ANSWER_MS) socket.destroy();
    this.#endIdle(IDLE_MS);
    if (--this.#secondsToReport > 0 || this.#refused === 0) return;
    this.#limits.onConnectionsRefused(this.#refused);
    this.#refused = 0;
    this.#secondsToReport = REPORT_SECONDS;
  }
}

/**
 * Node's parser goes through all of a read, up to 64 KiB, with any requests and bodies in it. It gets a part at a time, up
 * to the end of the next headers. While a request is open, the rest waits.
 */
function parseInTurn(socket: Socket, connection: ConnectionState): void {
  const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
  socket.removeAllListeners("data").on("data", (bytes: Buffer) => {
    for (let start = 0; start < bytes.length && !socket.destroyed && !socket.writableEnded; ) {
      if (connection.res || socket.isPaused()) return void socket.pause().unshift(bytes.subarray(start));
      connection.since = performance.now();
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
