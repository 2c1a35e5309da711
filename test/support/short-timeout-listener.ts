import { once } from "node:events";
import type { RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { answerUnparsed } from "../../src/server/api/unparsed-requests.js";
import { createAddressOf } from "../../src/server/limits/client-address.js";
import { RateLimiter } from "../../src/server/limits/rate-limiter.js";
import { Connections } from "../../src/server/wire/connections.js";
import { createListener, listen } from "../../src/server/wire/listener.js";

/**
 * A listener that waits for 0.2 s only for a request, and when it has done so. Closed when the
 * current test ends.
 */
export async function shortTimeoutListener(listener: RequestListener = () => {}) {
  const limiter = new RateLimiter({ rateLimit: 7_500, rateWindow: 60 }, () => performance.now());
  const addressOf = createAddressOf();
  const limits = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 };
  const server = await createListener(undefined, limits);
  const connections = new Connections(server, { maxConnections: 0 });
  answerUnparsed(connections, { limiter, addressOf });
  server.on("request", connections.oneAtATime(listener));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const timedOut = once(server, "clientError");
  return { port: (await listen(server, { host: "127.0.0.1", port: 0 })).port, timedOut };
}
