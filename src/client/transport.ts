import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";
import type { Agent } from "node:https";
import { ServerError, UnreachableError } from "../domain/errors.js";

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TransportOptions {
  /** Scheme, host and port of the server. */
  origin: URL;
  /** Seconds for one request, from its start to the end of its answer. */
  timeout: number;
  /** PEM certificates to trust instead of the system's. */
  ca?: string | undefined;
}

/**
 * GET requests to one origin, over connections that are kept alive. On node:http, since loading fetch costs
 * a one-shot command more than Node's own start. It follows no redirect.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #http: Promise<HttpModule>;
  readonly #agent: Promise<Agent>;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    // TLS is only loaded for an https origin.
    this.#http = options.origin.protocol === "https:" ? import("node:https") : Promise.resolve(plainHttp);
    this.#agent = this.#http.then(({ Agent }) => new Agent({ keepAlive: true, ca: options.ca }));
  }

  /**
   * @param target path and query, sent exactly so
   * @throws UnreachableError when no whole answer came in time, ServerError when it was not HTTP
   */
  async get(target: string, headers: Record<string, string>): Promise<HttpResponse> {
    if (this.#closed) throw closedError();
    const { request } = await this.#http;
    const { hostname, port } = this.#options.origin;
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return this.#exchange(request({ host, port, path: target, headers, agent: await this.#agent }));
  }

  /** Ends the connections; what is under way or comes later fails. */
  async close(): Promise<void> {
    this.#closed = true;
    (await this.#agent).destroy();
  }

  #exchange(outgoing: ClientRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      let timedOut = false;
      const fail = (error: NodeJS.ErrnoException) => reject(this.#explain(error, timedOut));
      const timer = setTimeout(() => {
        timedOut = true;
        outgoing.destroy();
      }, this.#options.timeout * 1_000);
      outgoing.once("close", () => clearTimeout(timer));
      outgoing.once("error", fail);
      outgoing.once("response", (incoming) => readResponse(incoming).then(resolve, fail));
      outgoing.end();
    });
  }

  #explain(error: NodeJS.ErrnoException, timedOut: boolean): Error {
    const { origin, timeout } = this.#options;
    if (this.#closed) return closedError();
    if (timedOut) {
      const cause = Object.assign(new Error("timed out"), { code: "ETIMEDOUT" });
      return new UnreachableError(`no answer from ${origin.origin} within ${timeout} s`, { cause });
    }
    if (error.code?.startsWith("HPE_")) return new ServerError(`${origin.origin} does not answer with HTTP`, 0);
    return new UnreachableError(`can't reach ${origin.origin}: ${REASONS[error.code ?? ""] ?? error.message}`, {
      cause: error,
    });
  }
}

type HttpModule = Pick<typeof import("node:https"), "Agent" | "request">;

/** node:http has the shape of node:https, as far as it is used here. */
const plainHttp = { Agent: HttpAgent, request } as unknown as HttpModule;

const UNKNOWN_AUTHORITY = "its certificate is of an unknown authority; --ca-file names one to trust";

const REASONS: Record<string, string> = {
  ECONNREFUSED: "connection refused; is the server running?",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "no such host",
  EPROTO: "it does not speak TLS; is the URL to begin with http:?",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; --ca-file names one to trust",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** Without a cause, so that it counts as final. */
function closedError(): UnreachableError {
  return new UnreachableError("the client is closed");
}

async function readResponse(incoming: IncomingMessage): Promise<HttpResponse> {
  incoming.setEncoding("utf8");
  let body = "";
  for await (const chunk of incoming) body += chunk;
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body };
}
