import { type ClientRequestArgs, request as requestHttp } from "node:http";
import { Agent, type AgentOptions, request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { type Endpoint, formatEndpoint } from "./endpoint.js";
import { type DeadlineOptions, send, startDeadline } from "./exchange.js";
import {
  type HttpProxy,
  ProxyError,
  proxyAddress,
  proxyRefusedError,
  proxyUnreachableError,
} from "./proxy.js";

interface ProxyRoute {
  proxy: HttpProxy;
  /** PEM certificates to trust in place of Node's, for a proxy with TLS. */
  ca?: string | undefined;
}

/** Asks a proxy for a connection to a server (CONNECT). @throws ProxyError */
export async function openTunnel(
  server: Endpoint,
  options: ProxyRoute & DeadlineOptions,
): Promise<Duplex> {
  const { proxy, ca } = options;
  const request = proxy.url.protocol === "https:" ? requestHttps : requestHttp;
  const path = formatEndpoint(server);
  const headers = { host: path, ...proxy.headers };
  const deadline = startDeadline(options);
  try {
    const message = { method: "CONNECT", path, headers, agent: false };
    const outgoing = request({ ...proxyAddress(proxy, ca), ...message });
    const { incoming, socket } = await send(outgoing, deadline.signal);
    const { statusCode = 0 } = incoming;
    if (socket && statusCode >= 200 && statusCode <= 299) return socket;
    (socket ?? incoming).destroy();
    throw proxyRefusedError(proxy, path, statusCode);
  } catch (error) {
    throw error instanceof ProxyError ? error : proxyUnreachableError(proxy, error);
  } finally {
    deadline.end();
  }
}

/**
 * Makes connections through a proxy's CONNECT. The package https-proxy-agent
 * keeps the connection of an aborted request, so that the process does not end,
 * buffers an endless answer, and logs the proxy's password with `DEBUG`.
 */
export class TunnelAgent extends Agent {
  readonly #route: ProxyRoute;
  readonly #closing = new AbortController();

  /** @param options for TLS with the server */
  constructor(options: AgentOptions, route: ProxyRoute) {
    super(options);
    this.#route = route;
  }

  /** @param options with the `timeout` of the request */
  override createConnection(
    options: ClientRequestArgs,
    callback: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const { host, port, timeout = 0 } = options;
    const { signal } = this.#closing;
    openTunnel({ host: host ?? "", port: Number(port) }, { ...this.#route, timeout, signal })
      // Typed for requests. Given a socket, it opens no other connection.
      .then((socket) => super.createConnection({ ...options, socket } as ClientRequestArgs))
      .then(
        (stream) => callback(null, stream as Duplex),
        (error) => callback(error, undefined as never),
      );
  }

  override destroy(): void {
    this.#closing.abort();
    super.destroy();
  }
}
