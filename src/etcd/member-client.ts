import { setTimeout as delay } from "node:timers/promises";
import type { TlsPem } from "../kit/net/tls-options.js";
import { ServerError, UnauthorizedError, UnreachableError } from "../kit/text/errors.js";
import { parseToken, RefusedError, refusalError } from "./answers.js";
import { JsonClient, NotSentError, type PostLimits, TlsError } from "./json-client.js";

const PAUSE_MS = 50;

/** The longest random pause after a {@link NotYetError}. */
const MAX_WAIT_MS = 300;

/** All in milliseconds. */
const TIMES = {
  /**
   * The first attempt. Short, since a cluster without a leader never answers a
   * transaction.
   */
  attempt: 1_000,
  /** All attempts of a request. An election takes 1 to 2 seconds. */
  request: 10_000,
  /** All attempts of a change. */
  write: 30_000,
  /** The pause between two reads of a followed store. */
  poll: 2_000,
  /** The lease of a large write. */
  lease: 30_000,
};
export type Timings = Readonly<typeof TIMES>;

export interface GatewayOptions extends TlsPem {
  endpoints: readonly string[];
  /** The start of all keys. */
  prefix?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
  times?: Partial<Timings> | undefined;
}

export interface TryOptions {
  /**
   * Milliseconds for all attempts. Default: `request`, for a transaction
   * `write`.
   */
  within?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Thrown while the conditions of a transaction do not hold yet. */
export class NotYetError extends UnreachableError {}

/** gRPC status codes. */
const [PERMISSION_DENIED, UNAUTHENTICATED] = [7, 16];
const LOGIN = "auth/authenticate";

/**
 * Sends requests to the members of a cluster, first to the one that answered
 * last.
 */
export class MemberClient {
  readonly times: Timings;
  readonly prefix: string;
  readonly #options: GatewayOptions;
  readonly #client: JsonClient;
  #current = 0;
  #token: Promise<string> | undefined;
  #isClosed = false;

  constructor(options: GatewayOptions) {
    this.times = { ...TIMES, ...options.times };
    this.prefix = options.prefix ?? "";
    this.#options = options;
    this.#client = new JsonClient(options);
  }

  get endpoint(): string {
    return this.#options.endpoints[this.#current] as string;
  }

  /** Ends open requests without retries. Later requests are tried once. */
  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  /** Sends the next request to another member, with a new login. */
  #switchMember(endpoint: string): void {
    if (endpoint === this.endpoint)
      this.#current = (this.#current + 1) % this.#options.endpoints.length;
    // A token may have expired, or be newer than a cluster that was restored.
    this.#token = undefined;
  }

  /**
   * Calls `attempt` with one endpoint after another, each at least once, while
   * one may succeed.
   */
  protected async tryMembers<T>(
    { within = this.times.request, signal }: TryOptions,
    attempt: (endpoint: string, timeout: number) => Promise<T>,
  ): Promise<T> {
    const { endpoints } = this.#options;
    const endsAt = performance.now() + within;
    const reasons = new Map<string, string>();
    /** Failures in a row unlikely to go away. */
    let permanentFailures = 0;
    let timeout = this.times.attempt;
    for (let tries = 1; ; tries++) {
      const [endpoint, startedAt] = [this.endpoint, performance.now()];
      try {
        return await attempt(endpoint, timeout);
      } catch (error) {
        if (error instanceof NotYetError) await pause(Math.random() * MAX_WAIT_MS, signal);
        else this.#switchMember(endpoint);
        if (!isTransient(error)) throw explainRefusal(error);
        if (signal?.aborted || this.#isClosed) throw error;
        // The member hangs, or the cluster is slow.
        const now = performance.now();
        if (now - startedAt >= timeout)
          timeout = Math.max(this.times.attempt, Math.min(2 * timeout, endsAt - now));
        reasons.set(endpoint, (error as Error).message);
        permanentFailures =
          error instanceof TlsError || error instanceof RefusedError ? permanentFailures + 1 : 0;
        if ((now >= endsAt || permanentFailures > endpoints.length) && tries >= endpoints.length) {
          if (error instanceof RefusedError) throw explainRefusal(error);
          const list = [...reasons].map(([origin, reason]) => `${origin} (${reason})`).join(", ");
          throw new UnreachableError(`no member of the store answers: ${list}`, { cause: error });
        }
        // There may be an election.
        if (tries % endpoints.length === 0) await pause(PAUSE_MS, signal);
      }
    }
  }

  /** Yields for each line of an endless answer that `isNews` accepts. */
  protected async *listen(
    path: string,
    body: unknown,
    isNews: (line: string) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<void> {
    const endpoint = this.endpoint;
    const limits = { timeout: this.times.attempt, signal };
    try {
      const headers = await this.#headers(endpoint, signal);
      const lines = this.#client.postForLines(`${endpoint}/v3/${path}`, body, headers, limits);
      for await (const line of lines) if (isNews(line)) yield;
    } catch (error) {
      this.#switchMember(endpoint);
      throw error;
    }
  }

  protected async post<T>(
    endpoint: string,
    path: string,
    parse: (text: string) => T,
    body: unknown,
    limits: PostLimits,
  ): Promise<T> {
    const headers = path === LOGIN ? {} : await this.#headers(endpoint, limits.signal);
    const answering = this.#client.post(`${endpoint}/v3/${path}`, body, headers, limits);
    const { status, body: text } = await answering;
    if (status === 200) return parse(text);
    throw status >= 500 && !text.startsWith("{")
      ? new ServerError(`it answers ${status}`, 503)
      : refusalError(text);
  }

  async #headers(endpoint: string, signal?: AbortSignal): Promise<Record<string, string>> {
    const { user, password } = this.#options;
    if (user === undefined) return {};
    const credentials = { name: user, password: password ?? "" };
    const limits = { timeout: this.times.attempt, signal };
    this.#token ??= this.post(endpoint, LOGIN, parseToken, credentials, limits).catch((error) => {
      // If the login fails, the request that needed the token was not sent.
      const isNotSent = error instanceof NotSentError || error instanceof RefusedError;
      throw isNotSent ? error : new NotSentError(error.message, { cause: error });
    });
    return { Authorization: await this.#token };
  }
}

export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

/** Whether another attempt, or another member, may succeed. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof RefusedError))
    return error instanceof UnreachableError || error instanceof ServerError;
  // etcd forgets tokens after some minutes, when it is restarted, and when
  // users are changed.
  const { grpcCode, message } = error;
  return (
    grpcCode === UNAUTHENTICATED || /revision (?:of auth store|in header) is old/.test(message)
  );
}

function explainRefusal(error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error;
  const { message, grpcCode } = error;
  if (/authentication failed|user name is empty|invalid auth token/.test(message))
    return new UnauthorizedError(
      "the store refuses the user and password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD",
    );
  if (grpcCode === PERMISSION_DENIED)
    return new UnauthorizedError("the store does not let this user read and write these keys");
  if (message.includes("authentication is not enabled"))
    return new UnauthorizedError(
      "the store has no users: unset APPVARS_STORE_USER, or enable authentication in etcd",
    );
  return new ServerError(`the store refuses the request: ${message}`, 400);
}
