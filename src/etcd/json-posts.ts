import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type DeadlineOptions, exchange, send, startDeadline } from "../kit/net/exchange.js";
import { isTlsFailure, reasonOf } from "../kit/net/failures.js";
import { type TlsTexts, tlsOptions } from "../kit/net/tls-options.js";
import { UnreachableError } from "../kit/text/errors.js";

/** The largest answer, and the largest line of a stream, in bytes. */
const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
const MAX_ERROR_BYTES = 64 * 1_024;
/** The bytes of a request that are sent in a millisecond, at least: 2 Mbit/s. */
const SENT_BYTES = 256;
/** An answer may take this many times the time between two of its pieces. */
const MAX_TIMEOUTS = 30;

/** The time for an answer, or until the first line of a stream. A large request has more time. */
export type PostLimits = Pick<DeadlineOptions, "timeout" | "signal">;

/** Thrown when it is certain that the request was not sent. */
export class NotSentError extends UnreachableError {}

const TOO_LARGE = "its answer is too large";

/** Thrown when the settings of TLS are wrong: trying again does not help. */
export class TlsError extends NotSentError {}

/** The failures that come before the first byte of a request. */
const BEFORE_SENDING = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
];

/**
 * POST requests with JSON, to several origins over keep-alive connections. Not `fetch`, which takes
 * no CA.
 */
export class HttpPosts {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https: HttpsAgent;
  readonly #plain: string;

  /** @param plain follows the reason if the server does not speak TLS */
  constructor(texts: TlsTexts, plain: string) {
    this.#plain = plain;
    this.#https = new HttpsAgent({ keepAlive: true, ...tlsOptions(texts) });
  }

  /** @throws NotSentError, UnreachableError without a complete answer in time */
  async post(url: string, json: unknown, headers: Record<string, string>, limits: PostLimits) {
    const { outgoing, bytes } = this.#request(url, json, headers);
    const maxima = { maxBytes: MAX_BODY_BYTES, maxErrorBytes: MAX_ERROR_BYTES };
    const options = { ...deadlineOf(limits, bytes), ...maxima };
    try {
      const { status, body } = await exchange(outgoing, options, bytes);
      if (!body) throw new UnreachableError(TOO_LARGE);
      return { status, body: body.toString("utf8") };
    } catch (error) {
      throw this.#explain(error, outgoing, limits);
    }
  }

  /**
   * Yields the lines of an answer that does not end.
   *
   * @throws NotSentError; UnreachableError without a line in time, and when the answer ends
   */
  async *postForLines(
    url: string,
    json: unknown,
    headers: Record<string, string>,
    limits: PostLimits,
  ) {
    const { outgoing, bytes } = this.#request(url, json, headers);
    const deadline = startDeadline(deadlineOf(limits, bytes));
    try {
      const { incoming, socket } = await send(outgoing, deadline.signal, bytes);
      socket?.destroy();
      let pieces: Buffer[] = [];
      let size = 0;
      for await (const chunk of incoming as AsyncIterable<Buffer>) {
        let start = 0;
        for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
          clearTimeout(deadline.timer);
          yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString("utf8");
          [pieces, size, start] = [[], 0, end + 1];
        }
        pieces.push(chunk.subarray(start));
        size += chunk.length - start;
        if (size > MAX_BODY_BYTES) throw new UnreachableError(TOO_LARGE);
      }
      deadline.signal.throwIfAborted();
      throw new UnreachableError(`it ended the stream (status ${incoming.statusCode})`);
    } catch (error) {
      throw this.#explain(
        deadline.signal.aborted ? deadline.signal.reason : error,
        outgoing,
        limits,
      );
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
      return new NotSentError(`it does not speak TLS; ${this.#plain}`, { cause: error });
    const reason = reasonOf(error, { plain: this.#plain });
    if (isTlsFailure(error)) return new TlsError(reason, { cause: error });
    return new (BEFORE_SENDING.includes(code) ? NotSentError : UnreachableError)(reason, {
      cause: error,
    });
  }
}

function deadlineOf({ timeout, signal }: PostLimits, request: Buffer): DeadlineOptions {
  const longer = timeout + request.length / SENT_BYTES;
  return { timeout: longer, total: MAX_TIMEOUTS * longer, signal };
}
