import { DEFAULT_DRAIN_GRACE, DEFAULT_HOST, DEFAULT_PORT } from "../model/defaults.js";
import type { Service } from "../service/service.js";
import { DEFAULT_TOLERANCE, type Tolerance } from "../signing/sign.js";
import { RequestChain, type RequestChainParts, type RequestOptions } from "./api/request-chain.js";
import type { ServedRequest } from "./api/served-request.js";
import { answerUnparsed } from "./api/unparsed-requests.js";
import { createAddressOf } from "./limits/client-address.js";
import { type OnDecision, RateLimiter, type RateLimitOptions } from "./limits/rate-limiter.js";
import { type ConnectionLimits, Connections } from "./wire/connections.js";
import { createListener, listen, serverUrl } from "./wire/listener.js";
import type { TlsCredentials } from "./wire/tls.js";

/**
 * The part of `ServerMetrics` that a server calls. It refers to no package,
 * since the library's types include it.
 */
interface TrafficMetrics {
  count(request: ServedRequest): void;
  countDecision: OnDecision;
  /** @param count returns the number of open connections */
  watchConnections(count: () => number): void;
}

export interface ServerOptions extends RequestOptions, RateLimitOptions, ConnectionLimits {
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** Default 7400; 0 picks a free one. */
  port?: number;
  /**
   * How far a signature's time may differ from this clock. Default 300 s past,
   * 60 s future.
   */
  tolerance?: Partial<Tolerance>;
  /**
   * Seconds that open requests have to finish when the server is closed.
   * Default 10.
   */
  drainGrace?: number;
  /** Certificate and key for HTTPS, as PEM. Default plain HTTP. */
  tls?: TlsCredentials | undefined;
  /**
   * Proxies whose `X-Forwarded-For` is used: addresses, CIDR ranges,
   * `loopback`. Default none.
   */
  trustProxy?: readonly string[];
  /** Counts requests and connections: a `ServerMetrics`. */
  metrics?: TrafficMetrics | undefined;
  /** Descriptor of a socket to listen on, in place of `host` and `port`. */
  fd?: number | undefined;
}

export interface RunningServer {
  /** `http://127.0.0.1:7400`. */
  readonly url: string;
  readonly port: number;
  /**
   * Uses another certificate for new connections.
   *
   * @throws UsageError if it can't be used, or the server has no TLS
   */
  renewTls(tls: TlsCredentials): Promise<void>;
  /**
   * Refuses new requests, answers the open ones, and cuts off the rest after
   * `drainGrace`.
   */
  close(): Promise<void>;
}

/**
 * Serves the HTTP API until it is closed.
 *
 * @param clock Unix time in milliseconds, the same as the service's: with
 *   `faults.clockSkew`, the skewed one
 * @param ticks monotonic clock in milliseconds
 * @throws UsageError for an empty host, invalid TLS credentials or an invalid
 *   proxy; the system's error if it can't listen, such as `EADDRINUSE`
 */
export async function startServer(
  service: Service,
  options: ServerOptions,
  clock: () => number,
  ticks = performance.now.bind(performance),
): Promise<RunningServer> {
  const { host = DEFAULT_HOST, port: wanted = DEFAULT_PORT, fd, tls, metrics } = options;
  const { drainGrace = DEFAULT_DRAIN_GRACE } = options;
  const parts = createParts(service, options, clock, ticks);
  const server = await createListener(tls);
  const connections = new Connections(server, options);
  answerUnparsed(connections, parts);
  server.on("request", connections.oneAtATime(new RequestChain(parts).handle));
  metrics?.watchConnections(() => connections.count);
  const { address, port } = await listen(server, { host, port: wanted, fd });
  let closing: Promise<void> | undefined;
  return {
    url: serverUrl(fd === undefined ? host : address, port, tls !== undefined),
    port,
    renewTls: async (renewed) => (await import("./wire/tls.js")).renewTls(server, tls, renewed),
    close: () => (closing ??= connections.close(drainGrace * 1_000)),
  };
}

function createParts(
  service: Service,
  options: ServerOptions,
  clock: () => number,
  ticks: () => number,
): RequestChainParts {
  const { onRequest, metrics } = options;
  const addressOf = createAddressOf(options.trustProxy);
  const limiter = new RateLimiter(options, ticks, metrics?.countDecision);
  const tolerance = { ...DEFAULT_TOLERANCE, ...options.tolerance };
  const report = (request: ServedRequest) => {
    metrics?.count(request);
    onRequest?.(request);
  };
  const counted = { ...options, onRequest: metrics ? report : onRequest };
  return { ...counted, service, limiter, addressOf, clock, ticks, tolerance };
}
