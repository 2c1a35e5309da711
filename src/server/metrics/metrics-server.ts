import { createServer, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import type { Endpoint } from "../../kit/net/endpoint.js";
import { LISTENER_OPTIONS, listen, serverUrl } from "../wire/listener.js";

/** Prometheus keeps one connection open. */
const MAX_CONNECTIONS = 16;

/**
 * Serves `GET /metrics` in the text format of Prometheus, without credentials
 * and rate limit.
 *
 * @param onError called with an error that prevents a metric from being read
 * @throws UsageError for an empty host; the system's error, such as
 *   `EADDRINUSE`
 */
export async function startMetricsServer(
  endpoint: Endpoint,
  registry: Registry,
  onError: (error: unknown) => void,
) {
  // A request with an unfinished body would keep its connection.
  const server = createServer({ ...LISTENER_OPTIONS, requestTimeout: 5_000 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", async ({ method = "", url = "" }, res) => {
    try {
      const isRead = method === "GET" || method === "HEAD";
      if (!isRead || url.replace(/\?.*/s, "") !== "/metrics") return send(res, 404, "Not found\n");
      send(res, 200, await registry.metrics(), registry.contentType);
    } catch (error) {
      onError(error);
      send(res, 500, "Internal server error\n");
    }
  });
  const { port } = await listen(server, endpoint);
  return {
    url: `${serverUrl(endpoint.host, port, false)}/metrics`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
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
