import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { Agent } from "node:https";
import { exchange, type RawResponse, ticks } from "../kit/net/exchange.js";
import { isProtocolFailure, reasonOf } from "../kit/net/failures.js";
import {
  type HttpProxy,
  proxyAddress,
  proxyRefusedError,
  proxyUnreachableError,
  type ServerRoute,
} from "../kit/net/proxy.js";
import { tlsOptions } from "../kit/net/tls-options.js";
import { builtins } from "../kit/process/builtins.js";
import { AppvarsError, ServerError, UnreachableError } from "../kit/text/errors.js";

const MIB = 1024 * 1024;

const LIMITS = {
  /** The size of the largest page: 1,000 values of 64 KiB. */
  maxBytes: 64 * MIB,
  /** The size of a message, or of a proxy's error page. */
  maxErrorBytes: 256 * 1024,
};

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The time from the start of the request to the end of its answer. */
  milliseconds: number;
  /** The proxy that received the request itself, and may have answered it. */
  forwarder?: string | undefined;
}

export interface RequestLimits {
  /** A time shorter than `timeout`, in seconds. */
  atMost?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Sends GET requests for JSON to one origin over keep-alive connections, and
 * follows no redirects. It uses node:http, since fetch takes longer to load
 * than Node to start. Through a proxy, https uses a tunnel (CONNECT), and http
 * requests go to the proxy itself, with the whole URL (RFC 9112, section
 * 3.2.2).
 */
export class Transport {
  readonly #options: ServerRoute;
  readonly #forwarder: HttpProxy | undefined;
  readonly #modules: Promise<HttpModule & { agent: Agent }>;
  #closed = false;

  constructor(options: ServerRoute) {
    this.#options = options;
    this.#forwarder = options.origin.protocol === "https:" ? undefined : options.proxy;
    this.#modules = this.#load();
  }

  /**
   * @param target the path and query, sent unchanged
   * @throws UnreachableError without a complete answer in time; ServerError for
   *   an answer that is not HTTP or too large; the reason of the signal
   */
  async get(
    target: string,
    headers: Record<string, string>,
    { atMost = this.#options.timeout, signal }: RequestLimits = {},
  ): Promise<HttpResponse> {
    if (this.#closed) throw closedError();
    const { request, agent } = await this.#modules;
    const { origin, proxy } = this.#options;
    const timeout = Math.min(this.#options.timeout, atMost) * 1_000;
    const startedAt = ticks();
    // The tunnel must open within this time.
    const message = { ...this.#message(target, headers), timeout: proxy && timeout, agent };
    const outgoing = request(this.#forwarder?.url ?? origin, message);
    try {
      const answer = await exchange(outgoing, { timeout, signal, ...LIMITS });
      return { ...this.#checked(answer), milliseconds: ticks() - startedAt };
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#explain(error);
    }
  }

  /** Ends the connections. Open and later requests fail. */
  async close(): Promise<void> {
    this.#closed = true;
    (await this.#modules).agent.destroy();
  }

  /**
   * Loads TLS only if it is needed. The client certificate is only for the
   * server.
   */
  async #load(): Promise<HttpModule & { agent: Agent }> {
    const { origin, proxy, ca, cert, key } = this.#options;
    const { protocol } = this.#forwarder?.url ?? origin;
    if (protocol === "http:") {
      const { request, Agent } = builtins.http;
      return { request, agent: new Agent({ keepAlive: true }) } as never;
    }
    const { request: requestTls, Agent } = await import("node:https");
    const tls = { keepAlive: true, ...tlsOptions(this.#forwarder ? { ca } : { ca, cert, key }) };
    if (!proxy || this.#forwarder) return { request: requestTls, agent: new Agent(tls) };
    const { TunnelAgent } = await import("../kit/net/tunnel.js");
    return { request: requestTls, agent: new TunnelAgent(tls, { proxy, ca }) };
  }

  #message(target: string, headers: Record<string, string>) {
    const { origin, ca } = this.#options;
    const proxy = this.#forwarder;
    const accepting = { ...headers, accept: "application/json" };
    if (!proxy) return { path: target, headers: accepting };
    const forwarded = { ...accepting, host: origin.host, ...proxy.headers };
    return { ...proxyAddress(proxy, ca), path: origin.origin + target, headers: forwarded };
  }

  #checked({ status, headers, body }: RawResponse) {
    const { origin } = this.#options.origin;
    const forwarder = this.#forwarder;
    if (forwarder && status === 407) throw proxyRefusedError(forwarder, origin, status);
    if (status === 200 && !body)
      throw new ServerError(`the answer from ${origin} is larger than 64 MiB`, status);
    if (status === 200 && body && !isUtf8(body))
      throw new ServerError(`the answer from ${origin} is not UTF-8`, status);
    return { status, headers, body: body?.toString() ?? "", forwarder: forwarder?.name };
  }

  #explain(cause: unknown): Error {
    if (this.#closed) return closedError();
    if (cause instanceof AppvarsError) return cause;
    if (this.#forwarder) return proxyUnreachableError(this.#forwarder, cause);
    const { origin, from, cert, proxy } = this.#options;
    // Servers in Node send no alert about a certificate, but end the connection
    // after the handshake.
    const untrusted =
      cert === undefined ? undefined : "does the server trust the client certificate?";
    const hints = {
      refused: "is the server running?",
      plain: "should the URL begin with http:?",
      untrusted: "to trust it, use --ca-file, not SSL_CERT_FILE",
      reset: origin.protocol === "http:" ? "should the URL begin with https:?" : untrusted,
      required:
        cert === undefined ? "to present one, use --client-cert and --client-key" : undefined,
    };
    const reason = reasonOf(cause, hints);
    if (isProtocolFailure(cause)) return new ServerError(reason.replace(/^it/, origin.origin), 0);
    const route = `${origin.origin}${from ? ` (${from})` : ""}${proxy ? ` through ${proxy.name}` : ""}`;
    return new UnreachableError(`can't reach ${route}: ${reason}`, { cause });
  }
}

/** The part that node:http and node:https share. */
type HttpModule = Pick<typeof import("node:https"), "request">;

function closedError(): UnreachableError {
  return new UnreachableError("the client is closed", { isFinal: true });
}
