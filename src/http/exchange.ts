import { once } from "node:events";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SWITCHED } from "./failures.js";

export interface DeadlineOptions {
  /** Milliseconds until the answer begins, and between two of its pieces. */
  timeout: number;
  /** Milliseconds until it ends. Default `timeout`. */
  total?: number;
  signal?: AbortSignal | undefined;
}

export interface ExchangeOptions extends DeadlineOptions {
  /** The largest body of a 200. */
  maxBytes: number;
  /** The largest body of another answer. */
  maxErrorBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if it is larger than the limit. */
  readonly body: Buffer | undefined;
}

/** The start of an answer. */
export interface AnswerHead {
  readonly incoming: IncomingMessage;
  /** After a CONNECT or an upgrade. */
  readonly socket?: Duplex;
}

/**
 * Sends a request, and reads its answer. Always settles within the deadline: with a pending promise,
 * the process would exit with 0.
 *
 * @throws an error with a code that `reasonOf` explains, or the reason of the signal
 */
export async function exchange(
  outgoing: ClientRequest,
  { maxBytes, maxErrorBytes, ...options }: ExchangeOptions,
  body?: Buffer,
): Promise<HttpAnswer> {
  const deadline = new Deadline(options);
  let failed: Error | undefined;
  outgoing.once("error", (error) => {
    failed = error;
  });
  try {
    const { incoming, socket } = await send(outgoing, deadline.signal, body);
    socket?.destroy();
    if (socket) throw failure(SWITCHED);
    const { statusCode: status = 0, headers } = incoming;
    return { status, headers, body: await readBody(incoming, status === 200 ? maxBytes : maxErrorBytes, deadline) };
  } catch (error) {
    deadline.signal.throwIfAborted();
    // The error of the body is a reset, also for chunks that are not HTTP.
    throw failed ?? error;
  } finally {
    deadline.end();
  }
}

/** Sends a request, and waits for the start of its answer. @throws as {@link exchange} */
export async function send(outgoing: ClientRequest, signal: AbortSignal, body?: Buffer): Promise<AnswerHead> {
  // Node may report an error of the body here too.
  outgoing.on("error", () => {});
  signal.addEventListener("abort", () => outgoing.destroy());
  // Without a listener for each, a 101 would never settle.
  const events = ["response", "upgrade", "connect"].map((event) => once(outgoing, event, { signal }));
  outgoing.end(body);
  try {
    const [incoming, socket] = await Promise.race(events);
    return { incoming, socket };
  } catch (error) {
    // It may have been aborted before.
    outgoing.destroy();
    signal.throwIfAborted();
    throw error;
  }
}

async function readBody(incoming: IncomingMessage, maxBytes: number, deadline: Deadline): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = Number(incoming.headers["content-length"]) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  if (size > maxBytes) incoming.destroy();
  else
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      deadline.postpone();
      size += chunk.length;
      // Closes the connection.
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  // Without a length, an answer that is cut off looks complete.
  deadline.signal.throwIfAborted();
  return size > maxBytes ? undefined : Buffer.concat(chunks);
}

/** Aborts after a time, or with another signal. Not `AbortSignal.any`, which leaks memory in Node 20. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #options: DeadlineOptions;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(options: DeadlineOptions) {
    this.#options = options;
    this.signal = this.#controller.signal;
    this.#timer = setTimeout(this.#expire, options.timeout);
    options.signal?.addEventListener("abort", this.#abort);
    if (options.signal?.aborted) this.#abort();
  }

  /** A piece has come. */
  postpone(): void {
    const { timeout, total = timeout } = this.#options;
    if (performance.now() - this.#startedAt + timeout <= total) this.#timer.refresh();
  }

  /** There is no time limit any more. */
  met(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = () => this.#controller.abort(this.#options.signal?.reason);

  readonly #expire = () => {
    const seconds = Math.round(this.#options.timeout / 10) / 100;
    this.#controller.abort(failure("ETIMEDOUT", `no answer within ${seconds} s`));
  };
}

function failure(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}
