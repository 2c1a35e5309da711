import { once } from "node:events";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { hrtime } from "node:process";
import type { Duplex } from "node:stream";

export interface DeadlineOptions {
  /** Milliseconds until the answer begins, and between two of its pieces. */
  timeout: number;
  /** Milliseconds until the answer ends. Default `timeout`. */
  total?: number;
  signal?: AbortSignal | undefined;
}

export interface ExchangeOptions extends DeadlineOptions {
  /** The largest body of a 200. */
  maxBytes: number;
  /** The largest body of any other answer. */
  maxErrorBytes: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `undefined` if the body is larger than the limit. */
  readonly body: Buffer | undefined;
}

/**
 * Milliseconds of a steady clock. Not `performance.now()`: it loads histograms,
 * which takes a fiftieth of a one-shot `get`.
 */
export function ticks(): number {
  return Number(hrtime.bigint()) / 1e6;
}

export interface ResponseHead {
  readonly incoming: IncomingMessage;
  /** Set after a CONNECT or an upgrade. */
  readonly socket?: Duplex;
}

/**
 * Sends a request, and reads its answer. Always settles within the deadline: a
 * process that waits only for a promise exits with 0.
 *
 * @throws an error that `reasonOf` explains, or the reason of the signal
 */
export async function exchange(
  outgoing: ClientRequest,
  { maxBytes, maxErrorBytes, ...options }: ExchangeOptions,
  body?: Buffer,
): Promise<RawResponse> {
  const deadline = startDeadline(options);
  let failed: Error | undefined;
  outgoing.once("error", (error) => {
    failed = error;
  });
  try {
    const { incoming, socket } = await send(outgoing, deadline.signal, body);
    socket?.destroy();
    // The peer has switched to another protocol.
    if (socket) throw failure("HPE_INVALID_CONSTANT");
    const { statusCode: status = 0, headers } = incoming;
    const limit = status === 200 ? maxBytes : maxErrorBytes;
    return { status, headers, body: await readBody(incoming, limit, deadline) };
  } catch (error) {
    deadline.signal.throwIfAborted();
    // The body reports a reset even for malformed chunks.
    throw failed ?? error;
  } finally {
    deadline.end();
  }
}

/**
 * Sends a request, and waits for the start of its answer.
 *
 * @throws as {@link exchange}
 */
export async function send(
  outgoing: ClientRequest,
  signal: AbortSignal,
  body?: Buffer,
): Promise<ResponseHead> {
  // Node may report an error of the body here too.
  outgoing.on("error", () => {});
  signal.addEventListener("abort", () => outgoing.destroy());
  // Without a listener for each, a 101 would never settle.
  const answering = Promise.race([
    once(outgoing, "response", { signal }),
    once(outgoing, "upgrade", { signal }),
    once(outgoing, "connect", { signal }),
  ]);
  outgoing.end(body);
  try {
    const [incoming, socket] = await answering;
    return { incoming, socket };
  } catch (error) {
    // The signal may have been aborted before.
    outgoing.destroy();
    signal.throwIfAborted();
    throw error;
  }
}

async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  deadline: Deadline,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = Number(incoming.headers["content-length"]) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  if (size > maxBytes) incoming.destroy();
  // Faster than iterating over the answer.
  incoming.on("data", (chunk: Buffer) => {
    if (ticks() <= deadline.latest) deadline.timer.refresh();
    size += chunk.length;
    chunks.push(chunk);
    // Closes the connection.
    if (size > maxBytes) incoming.destroy();
  });
  await once(incoming, "close");
  // An answer without a length looks complete when it is cut off.
  deadline.signal.throwIfAborted();
  return size > maxBytes ? undefined : Buffer.concat(chunks);
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Restarted by each piece that arrives before `latest`. */
  readonly timer: NodeJS.Timeout;
  /** The last time to restart the timer, by {@link ticks}. */
  readonly latest: number;
  end(): void;
}

/**
 * Aborts after a time, or with another signal. `AbortSignal.any` leaks memory
 * in Node 20.
 */
export function startDeadline({ timeout, total = timeout, signal }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const seconds = Math.round(timeout / 10) / 100;
  const expire = () => controller.abort(failure("ETIMEDOUT", `no answer within ${seconds} s`));
  const timer = setTimeout(expire, timeout);
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  return {
    signal: controller.signal,
    timer,
    latest: ticks() + total - timeout,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

function failure(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}
