import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Polka } from "polka";
import type { RateLimiter } from "./rate-limiter.js";
import { answerParserErrors, refuseTunnels } from "./raw-replies.js";
import type { AppRequest } from "./request.js";

// A client that drips its request is gone after 5 to 10 s; Node's defaults wait for 60 to 300.
const LISTENER_OPTIONS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1_024,
  // Node would answer a missing Host itself, with no body and uncounted: `checkTarget` does.
  requireHostHeader: false,
};

/** The node:http server that polka answers for, made here for its time limits. */
export function createListener(limiter: RateLimiter): Server {
  const server = createServer(LISTENER_OPTIONS);
  // Node would answer an unknown `Expect` itself, with no body and no rate limit; ours ignores the header.
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
  answerParserErrors(server, limiter);
  refuseTunnels(server, limiter);
  return server;
}

/**
 * Lets the app listen and resolves to its port.
 *
 * @throws the system's error, `EADDRINUSE` for one
 */
export async function bind(app: Polka<AppRequest>, host: string, port: number): Promise<number> {
  app.listen({ host, port });
  await once(app.server, "listening");
  return (app.server.address() as AddressInfo).port;
}

/**
 * Stops accepting connections and resolves when the open requests are answered; connections still open
 * after `graceMs` are cut. Call once.
 */
export function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Whoever is still answered on a kept-alive connection is told not to use it again.
    server.prependListener("request", (_req, res) => res.setHeader("Connection", "close"));
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
