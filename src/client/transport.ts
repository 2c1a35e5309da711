import { isUtf8 } from "node:buffer";
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";
import type { Agent } from "node:https";
import { hostOf, otherScheme } from "../domain/endpoint.js";
import { AppvarsError, ServerError, UnreachableError } from "../domain/errors.js";
import { tlsOptions } from "../domain/tls-options.js";
import {
  type HttpProxy,
  isTunnelError,
  PROXY_REFUSES_USER,
  proxyAddress,
  proxyError,
  type ServerRoute,
} from "./proxy.js";

const MIB = 1024 * 1024;

/** The largest page: 1,000 values of 64 KiB. */
const MAX_BODY_BYTES = 64 * MIB;

/** For an answer other than 200: a message, or a proxy's error page. */
const MAX_ERROR_BODY_BYTES = 256 * 1024;

/** For a TLS handshake with a server that does not answer plain HTTP. */
const MAX_HANDSHAKE_S = 2;

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The proxy that got the request itself, and may have answered it. */
  forwarder?: string;
}

export interface TransportOptions extends ServerRoute {
  /** For tests. Default 64 MiB. */
  maxBodyBytes?: number;
}

interface RequestLimits {
  /** Seconds, if less than `timeout`. */
  atMost?: number;
  signal?: AbortSignal | undefined;
}

/**
 * GET requests to one origin over keep-alive connections, without following redirects. On node:http, since loading
 * fetch takes longer than the start of Node. Through a proxy, https takes a tunnel (CONNECT), and http is sent to the
 * proxy itself, with the whole URL (RFC 9112, section 3.2.2).
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #http: Promise<HttpModule>;
  readonly #agent: Promise<Agent>;
  /** A proxy that gets the requests themselves, without a tunnel. */
  readonly #forwarder: HttpProxy | undefined;
  #handshake: Promise<unknown> | undefined;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { origin, proxy, lookup, ca, cert, key } = options;
    const isTls = origin.protocol === "https:";
    this.#forwarder = isTls ? undefined : proxy;
    // TLS is only loaded if it is needed.
    const { protocol } = this.#forwarder?.url ?? origin;
    this.#http = protocol === "https:" ? import("node:https") : Promise.resolve(plainHttp());
    // A client certificate is for the server only.
    const tls = { keepAlive: true, ...tlsOptions(isTls ? { ca, cert, key } : { ca }) };
    this.#agent =
      proxy && isTls
        ? import("./tunnel.js").then(({ TunnelAgent }) => new TunnelAgent(tls, { proxy, lookup, ca }))
        : this.#http.then(({ Agent }) => new Agent(tls));
  }

  /**
   * @param target path and query, sent unchanged
   * @throws UnreachableError without a complete answer in time; ServerError if it is not HTTP, or too large
   */
  async get(
    target: string,
    headers: Record<string, string>,
    { atMost = this.#options.timeout, signal }: RequestLimits = {},
  ): Promise<HttpResponse> {
    if (this.#closed) throw closedError();
    const { request } = await this.#http;
    const { ca, lookup, origin, proxy } = this.#options;
    const timeout = Math.min(this.#options.timeout, atMost);
    const agent = await this.#agent;
    const forwarder = this.#forwarder;
    const message = forwarder
      ? {
          ...proxyAddress(forwarder, ca),
          path: origin.origin + target,
          headers: { ...headers, host: origin.host, ...forwarder.headers },
        }
      : {
          host: hostOf(origin),
          port: origin.port,
          path: target,
          headers,
          // The agent opens the tunnel within this time.
          ...(proxy && { timeout: timeout * 1_000 }),
        };
    const startedAt = performance.now();
    const outgoing = request({ ...message, agent, lookup, signal });
    return this.#exchange(outgoing, timeout).catch(async (error: Error) => {
      const isReset = (error.cause as NodeJS.ErrnoException | undefined)?.code === "ECONNRESET";
      const left = timeout - (performance.now() - startedAt) / 1_000;
      if (isReset && outgoing.socket?.bytesRead === 0 && !proxy && origin.protocol === "http:")
        await this.#refuseTls(left);
      throw error;
    });
  }

  /** Ends the connections. Open and later requests fail. */
  async close(): Promise<void> {
    this.#closed = true;
    (await this.#agent).destroy();
  }

  /** Settles within the timeout, whatever the server does: with a pending promise, the process would exit with 0. */
  #exchange(outgoing: ClientRequest, timeout: number): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        clearTimeout(timer);
        outgoing.destroy();
        reject(this.#explain(error));
      };
      const failUnanswered = () => fail(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
      const timer = setTimeout(() => fail(this.#timeoutError(timeout)), timeout * 1_000);
      outgoing.on("error", fail);
      outgoing.once("close", failUnanswered);
      outgoing.once("upgrade", ({ statusCode = 101 }, socket) => {
        socket.destroy();
        fail(new ServerError(`${this.#origin} switches to another protocol (status ${statusCode})`, statusCode));
      });
      outgoing.once("response", (incoming) => {
        outgoing.off("close", failUnanswered);
        if (this.#forwarder && incoming.statusCode === 407) {
          return fail(Object.assign(new Error("refused"), { code: PROXY_REFUSES_USER }));
        }
        readResponse(incoming, this.#options).then((response) => {
          clearTimeout(timer);
          resolve(this.#forwarder ? { ...response, forwarder: this.#forwarder.name } : response);
        }, fail);
      });
      outgoing.end();
    });
  }

  /** Tries a TLS handshake, once. @throws UnreachableError, which is not retried, if the server speaks TLS after all */
  async #refuseTls(timeout: number): Promise<void> {
    const { lookup } = this.#options;
    const origin = otherScheme(this.#options.origin);
    const { readCertificate } = await import("./certificate.js");
    this.#handshake ??= readCertificate({ origin, timeout: Math.min(timeout, MAX_HANDSHAKE_S), lookup });
    if (!(await this.#handshake)) return;
    throw new UnreachableError(`${this.#origin} speaks TLS, not plain HTTP: use ${origin.origin}`);
  }

  get #origin(): string {
    return this.#options.origin.origin;
  }

  #timeoutError(timeout: number): UnreachableError {
    const cause = Object.assign(new Error("timed out"), { code: "ETIMEDOUT" });
    return new UnreachableError(`no answer from ${this.#route} within ${Math.round(timeout * 100) / 100} s`, { cause });
  }

  /** The origin, and the proxy. */
  get #route(): string {
    const { proxy } = this.#options;
    return proxy ? `${this.#origin} through ${proxy.name}` : this.#origin;
  }

  #explain(error: NodeJS.ErrnoException): Error {
    if (this.#closed) return closedError();
    if (error instanceof AppvarsError) return error;
    const reason = this.#reasonOf(error);
    const failed = this.#forwarder ?? (isTunnelError(error) ? this.#options.proxy : undefined);
    if (failed) return proxyError(failed, this.#origin, error, reason);
    if (error.code === "HPE_HEADER_OVERFLOW") return new ServerError(`${this.#origin} sends too many headers`, 0);
    if (error.code?.startsWith("HPE_")) return new ServerError(`${this.#origin} does not answer with HTTP`, 0);
    return new UnreachableError(`can't reach ${this.#route}: ${reason}`, { cause: error });
  }

  #reasonOf({ code = "", message }: NodeJS.ErrnoException): string {
    const { origin, cert } = this.#options;
    if (REFUSED_CERTIFICATE.test(message)) return "it does not accept the client certificate";
    // Node's servers send no such alert, but end the connection after the handshake.
    if (code === "ECONNRESET" && origin.protocol === "https:" && cert !== undefined)
      return `${REASONS[code]}; does the server trust the client certificate?`;
    return REASONS[code] ?? message;
  }
}

/** What node:http and node:https have in common. */
type HttpModule = Pick<typeof import("node:https"), "Agent" | "request">;
const plainHttp = () => ({ Agent: HttpAgent, request }) as unknown as HttpModule;

const UNKNOWN_AUTHORITY = "its certificate is from an unknown authority; to trust it, use --ca-file";

const NEEDS_CERTIFICATE = "it requires a client certificate; to present one, use --client-cert and --client-key";

/** OpenSSL's text for an alert about a certificate, bad_certificate to unknown_ca (RFC 8446, appendix B.2). */
const REFUSED_CERTIFICATE = /SSL alert number 4[234568]\b/;

const REASONS: Record<string, string> = {
  ECONNREFUSED: "connection refused; is the server running?",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its name can't be looked up now: no DNS server answers, or all of them fail",
  EPROTO: "it does not speak TLS; should the URL begin with http:?",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; to trust it, use --ca-file",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NEEDS_CERTIFICATE,
};

/** Without a cause, so that it is not retried. */
function closedError(): UnreachableError {
  return new UnreachableError("the client is closed");
}

async function readResponse(
  incoming: IncomingMessage,
  { origin: { origin }, maxBodyBytes = MAX_BODY_BYTES }: TransportOptions,
): Promise<HttpResponse> {
  const { statusCode: status = 0, headers } = incoming;
  if (status !== 200) return { status, headers, body: String((await readBody(incoming, MAX_ERROR_BODY_BYTES)) ?? "") };
  const bytes = await readBody(incoming, maxBodyBytes);
  if (!bytes) throw new ServerError(`the answer from ${origin} is larger than ${maxBodyBytes / MIB} MiB`, status);
  if (!isUtf8(bytes)) throw new ServerError(`the answer from ${origin} is not UTF-8`, status);
  return { status, headers, body: bytes.toString() };
}

/** Undefined as soon as it is known to exceed `maxBytes`. */
async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(incoming.headers["content-length"]) > maxBytes) {
    incoming.destroy();
    return undefined;
  }
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
