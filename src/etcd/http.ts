import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { UnreachableError } from "../domain/errors.js";
import { type TlsTexts, tlsOptions } from "../domain/tls-options.js";
import { type DeadlineOptions, exchange, send, startDeadline } from "../http/exchange.js";
import { isTlsFailure, reasonOf } from "../http/failures.js";

/** A page of records needs a few megabytes. One of large values can need more: then a smaller page is asked for. */
const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
/** Values have at most 1.5 MiB each, but one transaction can change many. */
const MAX_LINE_BYTES = MAX_BODY_BYTES;
const MAX_ERROR_BYTES = 64 * 1_024;
/** Of a request, in a millisecond: 2 Mbit/s. */
const SENT_BYTES = 256;
/** An answer may take this many times the time between two of its pieces. */
const MAX_TIMEOUTS = 30;

/** Of a post: a large request has more time. For a stream, the time until its first line. */
export type PostLimits = Pick<DeadlineOptions, "timeout" | "signal">;

/** Thrown when it is certain that the request was not sent. */
export class NotSentError extends UnreachableError {}

export class TooLargeError extends UnreachableError {
  override readonly message = "its answer is too large";
}

/** Thrown when the settings of TLS are wrong, here or there: trying again does not help. */
export class TlsError extends NotSentError {}

/** The failures that come before the first byte of a request. */
const BEFORE_SENDING = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"];

/** POST requests with JSON, to several origins over keep-alive connections. Not `fetch`, which takes no CA. */
export class HttpPosts {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https: HttpsAgent;

  constructor(texts: TlsTexts = {}) {
    this.#https = new HttpsAgent({ keepAlive: true, ...tlsOptions(texts) });
  }

  /** @throws NotSentError, UnreachableError without a complete answer in time */
  async post(url: string, json: unknown, headers: Record<string, string>, limits: PostLimits) {
    const bytes = Buffer.from(JSON.stringify(json));
    const outgoing = this.#request(url, bytes.length, headers);
    const maxima = { maxBytes: MAX_BODY_BYTES, maxErrorBytes: MAX_ERROR_BYTES };
    try {
      const { status, body } = await exchange(outgoing, { ...deadlineOf(limits, bytes), ...maxima }, bytes);
      if (!body) throw new TooLargeError();
      return { status, body: body.toString("utf8") };
    } catch (error) {
      throw explain(error, outgoing);
    }
  }

  /**
   * The lines of an answer that does not end.
   *
   * @throws NotSentError; UnreachableError without a line in time, and when the answer ends after all
   */
  async *postForLines(url: string, json: unknown, headers: Record<string, string>, limits: PostLimits) {
    const bytes = Buffer.from(JSON.stringify(json));
    const outgoing = this.#request(url, bytes.length, headers);
    const deadline = startDeadline(deadlineOf(limits, bytes));
    try {
      const { incoming, socket } = await send(outgoing, deadline.signal, bytes);
      socket?.destroy();
      let pieces: Buffer[] = [];
      let size = 0;
      for await (const chunk of incoming as AsyncIterable<Buffer>) {
        let start = 0;
        for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
          deadline.met();
          yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString("utf8");
          [pieces, size, start] = [[], 0, end + 1];
        }
        pieces.push(chunk.subarray(start));
        size += chunk.length - start;
        if (size > MAX_LINE_BYTES) throw new TooLargeError();
      }
      deadline.signal.throwIfAborted();
      throw new UnreachableError(`it ended the stream (status ${incoming.statusCode})`);
    } catch (error) {
      throw explain(deadline.signal.aborted ? deadline.signal.reason : error, outgoing);
    } finally {
      deadline.end();
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #request(url: string, length: number, headers: Record<string, string>): ClientRequest {
    const isTls = url.startsWith("https:");
    const message = {
      method: "POST",
      agent: isTls ? this.#https : this.#http,
      headers: { ...headers, "Content-Type": "application/json", "Content-Length": length },
    };
    return isTls ? httpsRequest(url, message) : httpRequest(url, message);
  }
}

function deadlineOf({ timeout, signal }: PostLimits, request: Buffer): DeadlineOptions {
  const longer = timeout + request.length / SENT_BYTES;
  return { timeout: longer, total: MAX_TIMEOUTS * longer, signal };
}

const PLAIN = "should the URL begin with etcd:?";

function explain(error: unknown, { socket }: ClientRequest): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  const { secureConnecting } = (socket ?? {}) as { secureConnecting?: boolean };
  if (secureConnecting && code === "ECONNRESET")
    return new NotSentError(`it does not speak TLS; ${PLAIN}`, { cause: error });
  const reason = reasonOf(error, { plain: PLAIN });
  if (isTlsFailure(error)) return new TlsError(reason, { cause: error });
  return new (BEFORE_SENDING.includes(code) ? NotSentError : UnreachableError)(reason, { cause: error });
}
