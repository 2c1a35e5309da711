import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { originForm } from "../api/arrival.js";
import { LISTENER_OPTIONS, listen, serverUrl } from "../wire/listener.js";
import { readMetrics } from "./registry.js";

/** Prometheus keeps one connection open. */
const MAX_CONNECTIONS = 16;

export interface MetricsServer {
  /** `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  registry: Registry;
  /** Called with an error that prevents a metric from being read. */
  onError: (error: unknown) => void;
  /** Milliseconds that a client has for a request. Default 5,000. */
  requestTimeout?: number;
}

/**
 * Serves `GET /metrics` in the text format of Prometheus, or in that of OpenMetrics, which has
 * exemplars. It has no credentials and no rate limit.
 *
 * @throws UsageError for an empty host; the system's error, such as `EADDRINUSE`
 */
export async function startMetricsServer({
  host,
  port: requestedPort,
  registry,
  onError,
  requestTimeout = 5_000,
}: MetricsServerOptions): Promise<MetricsServer> {
  const timeouts = { headersTimeout: requestTimeout, requestTimeout };
  const server = createServer({
    ...LISTENER_OPTIONS,
    ...timeouts,
    connectionsCheckingInterval: requestTimeout / 5,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", createHandler(registry, onError));
  const { port } = await listen(server, { host, port: requestedPort });
  return {
    url: `${serverUrl(host, port, false)}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createHandler(registry: Registry, onError: (error: unknown) => void): RequestListener {
  return async (req, res) => {
    const { method, headers } = req;
    if (originForm(req).replace(/\?.*/s, "") !== "/metrics") return send(res, 404, "Not found\n");
    if (method !== "GET" && method !== "HEAD")
      return send(res.setHeader("Allow", "GET, HEAD"), 405, "Only GET\n");
    try {
      const isOpenMetrics = headers.accept?.includes("application/openmetrics-text") === true;
      const current = await readMetrics(registry, isOpenMetrics);
      send(res, 200, await current.metrics(), current.contentType);
    } catch (error) {
      onError(error);
      send(res, 500, "Internal server error\n");
    }
  };
}

function send(
  res: ServerResponse,
  status: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  const headers = {
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  };
  // For HEAD, Node leaves the body out.
  res.writeHead(status, headers).end(text);
}
