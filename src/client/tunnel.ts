import { type ClientRequest, type ClientRequestArgs, request as requestHttp } from "node:http";
import { Agent, type AgentOptions, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { type Endpoint, formatEndpoint } from "../domain/endpoint.js";
import { type HttpProxy, proxyAddress, proxyStatusCode } from "./proxy.js";

export interface TunnelOptions {
  proxy: HttpProxy;
  /** Milliseconds until the proxy has to have answered. */
  timeout: number;
  /** PEM certificates to trust in place of Node's, for a proxy with TLS. */
  ca?: string | undefined;
  /** In place of Node's lookup of the proxy's name. The proxy looks up that of the server. */
  lookup?: LookupFunction | undefined;
}

/**
 * Makes connections through a proxy's CONNECT.
 *
 * Not https-proxy-agent, which keeps the connection to a proxy that does not answer after the request was given up, so
 * that the process does not end; collects an endless answer; and writes the proxy's password to the log of `DEBUG`.
 */
export class TunnelAgent extends Agent {
  readonly #tunnel: Omit<TunnelOptions, "timeout">;
  readonly #pending = new Set<ClientRequest>();

  /** @param options for TLS with the server */
  constructor(options: AgentOptions, tunnel: Omit<TunnelOptions, "timeout">) {
    super(options);
    this.#tunnel = tunnel;
  }

  /** @param options with the `timeout` of the request */
  override createConnection(
    options: ClientRequestArgs,
    callback: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const { host, port, timeout = 0 } = options;
    const connecting = requestTunnel(
      { host: host ?? "", port: Number(port) },
      { ...this.#tunnel, timeout },
      (error, socket) => {
        this.#pending.delete(connecting);
        // Typed for requests; with a socket, it is all that is connected to.
        const stream = socket && super.createConnection({ ...options, socket } as ClientRequestArgs);
        callback(error ?? null, stream as Duplex);
      },
    );
    this.#pending.add(connecting);
  }

  override destroy(): void {
    for (const connecting of this.#pending) connecting.destroy();
    super.destroy();
  }
}

/** Resolves to a connection to the server. Rejects with an error that `isTunnelError` knows. */
export function openTunnel(server: Endpoint, options: TunnelOptions): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    requestTunnel(server, options, (error, socket) => (socket ? resolve(socket) : reject(error)));
  });
}

/** @param done called once */
function requestTunnel(
  server: Endpoint,
  { proxy, timeout, ca, lookup }: TunnelOptions,
  done: (error: Error | undefined, socket?: Duplex) => void,
): ClientRequest {
  const { protocol } = proxy.url;
  const request = protocol === "https:" ? requestHttps : requestHttp;
  const connecting = request({
    ...proxyAddress(proxy, ca),
    method: "CONNECT",
    path: formatEndpoint(server),
    headers: { host: formatEndpoint(server), ...proxy.headers },
    agent: false,
    lookup,
  });
  let settle = (error: Error | undefined, socket?: Duplex) => {
    clearTimeout(timer);
    settle = () => {};
    if (error) connecting.destroy();
    done(error && Object.assign(error, { isOfProxy: true as const }), socket);
  };
  const fail = (code: string) => settle(Object.assign(new Error(code), { code }));
  const timer = setTimeout(() => fail("ETIMEDOUT"), timeout);
  connecting.on("error", (error) => settle(error));
  connecting.once("close", () => fail("ECONNRESET"));
  connecting.once("connect", ({ statusCode = 0 }, socket) => {
    if (statusCode >= 200 && statusCode <= 299) return settle(undefined, socket);
    socket.destroy();
    fail(proxyStatusCode(statusCode));
  });
  connecting.end();
  return connecting;
}
