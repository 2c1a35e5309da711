import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type DeadlineOptions, exchange, send, startDeadline } from "../kit/net/exchange.js";
import { isTlsFailure, reasonOf } from "../kit/net/failures.js";
import { type TlsPem, tlsOptions } from "../kit/net/tls-options.js";
import { UnreachableError } from "../kit/text/errors.js";

/** The largest answers, in bytes. `maxBytes` also limits a line of a stream. */
const LIMITS = { maxBytes: 64 * 1_024 * 1_024, maxErrorBytes: 64 * 1_024 };
/** The slowest upload to allow for, in bytes per millisecond: 2 Mbit/s. */
const MIN_UPLOAD_BYTES_PER_MS = 256;
/** The time for a whole answer, as a multiple of the time between two pieces. */
const MAX_TIMEOUTS = 30;

/**
 * The time limits of an answer or of the first line of a stream. Large requests
 * get more time.
 */
export type PostLimits = Pick<DeadlineOptions, "timeout" | "signal">;

/** Thrown when a request was certainly not sent. */
export class NotSentError extends UnreachableError {}

export class TlsError extends NotSentError {}

const TOO_LARGE = "its answer is too large";
/** Advice if the server does not speak TLS. */
const PLAIN = "should the URL begin with etcd:?";
/** The codes of failures before the first byte of a request. */
const BEFORE_SENDING = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
];

/** Posts JSON over keep-alive connections. `fetch` would take no CA. */
export class JsonClient {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https: HttpsAgent;

  constructor(texts: TlsPem) {
    this.#https = new HttpsAgent({ keepAlive: true, ...tlsOptions(texts) });
  }

  /** @throws NotSentError, UnreachableError without a complete answer in time */
  async post(url: string, json: unknown, headers: Record<string, string>, limits: PostLimits) {
    const { outgoing, bytes } = this.#request(url, json, headers);
    const options = { ...deadlineOf(limits, bytes), ...LIMITS };
    try {
      const { status, body } = await exchange(outgoing, options, bytes);
      if (!body) throw new UnreachableError(TOO_LARGE);
      return { status, body: body.toString("utf8") };
    } catch (error) {
      throw this.#explain(error, outgoing, limits);
    }
  }

  /** Yields the lines of an answer. @throws as `post`, and when the answer ends */
  async *postForLines(...[url, json, headers, limits]: Parameters<JsonClient["post"]>) {
    const { outgoing, bytes } = this.#request(url, json, headers);
    const deadline = startDeadline(deadlineOf(limits, bytes));
    try {
      const { incoming, socket } = await send(outgoing, deadline.signal, bytes);
      socket?.destroy();
      let line = "";
      for await (const chunk of incoming.setEncoding("utf8") as AsyncIterable<string>) {
        const [end = "", ...starts] = chunk.split("\n");
        line += end;
        for (const start of starts) {
          clearTimeout(deadline.timer);
          yield line;
          line = start;
        }
        if (line.length > LIMITS.maxBytes) throw new UnreachableError(TOO_LARGE);
      }
      deadline.signal.throwIfAborted();
      throw new UnreachableError(`it ended the stream (status ${incoming.statusCode})`);
    } catch (error) {
      const { aborted, reason } = deadline.signal;
      throw this.#explain(aborted ? reason : error, outgoing, limits);
    } finally {
      deadline.end();
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #request(url: string, json: unknown, headers: Record<string, string>) {
    const bytes = Buffer.from(JSON.stringify(json));
    const isTls = url.startsWith("https:");
    const message = {
      method: "POST",
      agent: isTls ? this.#https : this.#http,
      headers: { ...headers, "Content-Type": "application/json", "Content-Length": bytes.length },
    };
    return { outgoing: isTls ? httpsRequest(url, message) : httpRequest(url, message), bytes };
  }

  #explain(error: unknown, { socket }: ClientRequest, { signal }: PostLimits): UnreachableError {
    if (error instanceof UnreachableError) return error;
    if (signal?.aborted) return new UnreachableError("the connection was closed");
    const { code = "" } = error as NodeJS.ErrnoException;
    const { secureConnecting } = (socket ?? {}) as { secureConnecting?: boolean };
    if (secureConnecting && code === "ECONNRESET")
      return new NotSentError(`it does not speak TLS; ${PLAIN}`, { cause: error });
    const [reason, cause] = [reasonOf(error, { plain: PLAIN }), { cause: error }];
    if (isTlsFailure(error)) return new TlsError(reason, cause);
    if (BEFORE_SENDING.includes(code)) return new NotSentError(reason, cause);
    return new UnreachableError(reason, cause);
  }
}

function deadlineOf({ timeout, signal }: PostLimits, request: Buffer): DeadlineOptions {
  const longer = timeout + request.length / MIN_UPLOAD_BYTES_PER_MS;
  return { timeout: longer, total: MAX_TIMEOUTS * longer, signal };
}
