import type { Server } from "node:http";
import { UsageError } from "../domain/errors.js";
import type { Service } from "../service/service.js";
import { DEFAULT_TOLERANCE, type Tolerance } from "../signing/verify.js";
import { createApp } from "./app.js";
import { createAuthenticator } from "./authentication.js";
import { createFaults, type Faults } from "./faults.js";
import { bind, createListener, drain } from "./listener.js";
import { createRateLimiter } from "./rate-limiter.js";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7400;

export interface ServerOptions {
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** Default 7400; 0 picks a free one. */
  port?: number;
  /** Requests allowed in one window, 0 for no limit. Default 7,500. */
  rateLimit?: number;
  /** Length of that window in seconds. Default 60. */
  rateWindow?: number;
  /** How far a signature's timestamp may lie from this machine's clock. Default 300 s past, 60 s future. */
  tolerance?: Partial<Tolerance>;
  /** How many environments' secrets a signature without `x-api-key` is checked against. Default 100. */
  keylessLimit?: number;
  /** Seconds that open requests are given to be answered when the server is closed. Default 10. */
  drainGrace?: number;
  /** Faults to make on purpose. Default none. */
  faults?: Faults;
  /** Told of errors that callers only see as status 500. By default nobody is. */
  onInternalError?: (error: unknown) => void;
  /** Told of every request that a handler has answered. */
  onRequest?: (request: ServedRequest) => void;
}

/** What a request log may hold: no query, no header, no body. */
interface ServedRequest {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
}

export interface RunningServer {
  /** Where it listens, `http://127.0.0.1:7400`. */
  readonly url: string;
  readonly port: number;
  /** Answers the open requests, refuses new ones, cuts what is still open after `drainGrace`. */
  close(): Promise<void>;
}

/**
 * Serves the HTTP contract until it is closed.
 *
 * @param clock Unix time in milliseconds, as the service has it: with `faults.clockSkew`, the skewed one
 * @throws UsageError for an empty host; the system's error when it can't listen there, `EADDRINUSE` for one
 */
export async function startServer(
  service: Service,
  options: ServerOptions,
  clock: () => number,
): Promise<RunningServer> {
  const { host = DEFAULT_HOST, rateLimit = 7_500, rateWindow = 60, keylessLimit = 100, drainGrace = 10 } = options;
  const { onInternalError = () => {} } = options;
  // To node:net an empty name is every address.
  if (host === "") throw new UsageError("the host must be an address or a name");
  const tolerance = { ...DEFAULT_TOLERANCE, ...options.tolerance };
  const limiter = createRateLimiter({ limit: rateLimit, window: rateWindow });
  const authenticate = createAuthenticator(service, { clock, tolerance, keylessLimit });
  const server = createListener(limiter);
  if (options.onRequest) reportRequests(server, options.onRequest, clock);
  const faults = createFaults(options.faults ?? {}, service, clock);
  const app = createApp({ service, authenticate, limiter, faults, onInternalError, server });
  const port = await bind(app, host, options.port ?? DEFAULT_PORT);
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: () => (closing ??= drain(server, drainGrace * 1_000)),
  };
}

function reportRequests(server: Server, onRequest: (request: ServedRequest) => void, clock: () => number): void {
  server.on("request", (req, res) => {
    const startedAt = clock();
    const path = (req.url ?? "").replace(/\?.*/, "");
    res.once("finish", () =>
      onRequest({ method: req.method ?? "", path, status: res.statusCode, milliseconds: clock() - startedAt }),
    );
  });
}
