import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { UnreachableError } from "../domain/errors.js";
import { type TlsTexts, tlsOptions } from "../domain/tls-options.js";

/** A page of records needs a few megabytes. One of large values can need more: then a smaller page is asked for. */
const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
/** Values have at most 1.5 MiB each, but one transaction can change many. */
const MAX_LINE_BYTES = MAX_BODY_BYTES;
const MAX_ERROR_BYTES = 64 * 1_024;
/** Of a request, in a millisecond: 2 Mbit/s. */
const SENT_BYTES = 256;
/** An answer may take this many times the time between two of its pieces. */
const MAX_TIMEOUTS = 30;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export interface PostLimits {
  /**
   * Milliseconds until the answer begins, and between two of its pieces; for a stream, until its first line. A large
   * request has more.
   */
  timeout: number;
  signal?: AbortSignal | undefined;
}

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
  async post(url: string, body: unknown, headers: Record<string, string>, limits: PostLimits): Promise<HttpAnswer> {
    const bytes = Buffer.from(JSON.stringify(body));
    const deadline = new Deadline(limits, bytes);
    try {
      const answer = await this.#send(url, bytes, headers, deadline.signal);
      const maxBytes = answer.statusCode === 200 ? MAX_BODY_BYTES : MAX_ERROR_BYTES;
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        deadline.postpone();
        size += chunk.length;
        if (size > maxBytes) throw new TooLargeError();
        chunks.push(chunk);
      }
      // Without a length, an answer that is cut off looks complete.
      deadline.signal.throwIfAborted();
      return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
    } catch (error) {
      throw explain(error, deadline.isLate);
    } finally {
      deadline.end();
    }
  }

  /**
   * The lines of an answer that does not end.
   *
   * @throws NotSentError; UnreachableError without a line in time, and when the answer ends after all
   */
  async *postForLines(url: string, body: unknown, headers: Record<string, string>, limits: PostLimits) {
    const bytes = Buffer.from(JSON.stringify(body));
    const deadline = new Deadline(limits, bytes);
    try {
      const answer = await this.#send(url, bytes, headers, deadline.signal);
      let pieces: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
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
      throw new UnreachableError(`it ended the stream (status ${answer.statusCode})`);
    } catch (error) {
      throw explain(error, deadline.isLate);
    } finally {
      deadline.end();
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #send(url: string, bytes: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    const isTls = url.startsWith("https:");
    return new Promise((resolve, reject) => {
      const options = {
        method: "POST",
        agent: isTls ? this.#https : this.#http,
        headers: { ...headers, "Content-Type": "application/json", "Content-Length": bytes.length },
        signal,
      };
      const outgoing = isTls ? httpsRequest(url, options) : httpRequest(url, options);
      outgoing.once("response", resolve);
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        const { secureConnecting } = (outgoing.socket ?? {}) as { secureConnecting?: boolean };
        const isHandshake = secureConnecting && error.code === "ECONNRESET";
        reject(isHandshake ? new NotSentError(`it does not speak TLS${HTTP_HINT}`, { cause: error }) : error);
      });
      // Without a listener, a 101 would never settle.
      outgoing.once("upgrade", (_answer, socket) => {
        socket.destroy();
        reject(new UnreachableError("it switches to another protocol"));
      });
      outgoing.once("close", () => reject(new UnreachableError("it closed the connection")));
      outgoing.end(bytes);
    });
  }
}

/** Aborts after a time, or with another signal. Not `AbortSignal.any`, which leaks memory in Node 20. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #timeout: number;
  isLate = false;

  constructor({ timeout, signal }: PostLimits, request: Buffer) {
    this.#outer = signal;
    if (signal?.aborted) this.#abort();
    signal?.addEventListener("abort", this.#abort);
    this.#timeout = timeout + request.length / SENT_BYTES;
    this.#timer = setTimeout(() => {
      this.isLate = true;
      this.#abort();
    }, this.#timeout);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time again, but not for ever: an answer that comes byte by byte ends too. */
  postpone(): void {
    if (performance.now() - this.#startedAt < MAX_TIMEOUTS * this.#timeout) this.#timer.refresh();
  }

  /** There is no time limit any more. */
  met(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.met();
    this.#outer?.removeEventListener("abort", this.#abort);
  }
}

const HTTP_HINT = "; should the URL begin with etcd:?";
const REASONS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its name can't be looked up now",
  EPROTO: `it does not speak TLS${HTTP_HINT}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is from an unknown authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** What servers send about the certificate of the client, by the names of OpenSSL: `SSL/TLS` in newer versions of Node. */
const CERTIFICATE_ALERT = /^ERR_SSL_[\w/]+_ALERT_(?:\w*CERTIFICATE\w*|UNKNOWN_CA)$/;

function explain(error: unknown, isLate: boolean): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (isLate) return new UnreachableError("no answer in time", { cause: error });
  const isRefused = CERTIFICATE_ALERT.test(code);
  const known = isRefused ? "it requires a client certificate, or refuses this one" : REASONS[code];
  if (isRefused || (known !== undefined && /CERT|LEAF|ISSUER|EPROTO/.test(code)))
    return new TlsError(known, { cause: error });
  const reason = known ?? (code.startsWith("HPE_") ? "it does not answer with HTTP" : code || message);
  return new (BEFORE_SENDING.includes(code) ? NotSentError : UnreachableError)(reason, { cause: error });
}
