import { once } from "node:events";
import { createServer, type ServerOptions as NodeOptions, type Server } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { formatEndpoint } from "../../kit/net/endpoint.js";
import { UsageError } from "../../kit/text/errors.js";
import { Request } from "./connections.js";
import type { TlsCredentials } from "./tls.js";

// Headers that take too long are cut off after 5 to 6 s; Node's default is 60
// s.
export const LISTENER_OPTIONS: NodeOptions = {
  headersTimeout: 5_000,
  // Bodies are not read: with one, a request is never complete.
  requestTimeout: 0,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1_024,
  // `findMalformation` refuses a missing Host: Node's answer would be uncounted
  // and have no body.
  requireHostHeader: false,
};

/**
 * Creates a node:http or node:https server without a request listener.
 *
 * @param limits in place of the time limits, for tests
 * @throws UsageError if the TLS credentials can't be used
 */
export async function createListener(tls?: TlsCredentials, limits?: NodeOptions): Promise<Server> {
  const options = { ...LISTENER_OPTIONS, ...limits, IncomingMessage: Request };
  // Most servers need no TLS.
  const server = tls
    ? (await import("./tls.js")).createTlsServer(options, tls)
    : createServer(options);
  // `Expect` is ignored. Node would ask for the body, or refuse the request
  // uncounted.
  for (const event of ["checkContinue", "checkExpectation"])
    server.on(event, (req, res) => server.emit("request", req, res));
  return server;
}

/**
 * Resolves to where the server listens.
 *
 * @throws UsageError for an empty host; the system's error, such as
 *   `EADDRINUSE`
 */
export async function listen(
  server: NetServer,
  { host, port, fd }: { host: string; port: number; fd?: number | undefined },
): Promise<AddressInfo> {
  // node:net would listen on every address.
  if (host === "") throw new UsageError("the host must be an address or a name");
  server.listen(fd === undefined ? { host, port } : { fd });
  await once(server, "listening");
  return server.address() as AddressInfo;
}

/** `http://127.0.0.1:7400`. */
export function serverUrl(host: string, port: number, isTls: boolean): string {
  return `http${isTls ? "s" : ""}://${formatEndpoint({ host, port })}`;
}
