import { setTimeout as delay } from "node:timers/promises";
import type { GenericSchema } from "valibot";
import { ServerError, UnauthorizedError, UnreachableError } from "../domain/errors.js";
import type { TlsTexts } from "../domain/tls-options.js";
import { HttpPosts, NotSentError, type PostLimits, TlsError, TooLargeError } from "../http/json-posts.js";
import {
  ANSWERS,
  CanceledWatchError,
  CompactedError,
  parseAnswer,
  parseWatch,
  type RangeAnswer,
  RefusedError,
  refusal,
} from "./answers.js";

/** All in milliseconds. */
export interface Times {
  /**
   * For the first attempt of a request, and twice as long for each one after it. A member that hangs costs this once: the
   * next request goes to the one that answered.
   */
  readonly attempt: number;
  /**
   * The same for a transaction. One that reaches a cluster without a leader gets no answer, even once there is one. It is
   * short, since it is found out whether it was carried out.
   */
  readonly transaction: number;
  /** In which a request is tried again. An election takes 1 to 2 seconds. */
  readonly request: number;
  /** Without progress, after which a change is given up. */
  readonly write: number;
  /** Between two comparisons of a followed store with the cluster. */
  readonly poll: number;
  /** After which the pieces of a large write are removed, if its writer is killed. */
  readonly lease: number;
}

export const TIMES: Times = {
  attempt: 2_000,
  transaction: 1_000,
  request: 10_000,
  write: 30_000,
  poll: 2_000,
  lease: 30_000,
};

export interface GatewayOptions extends TlsTexts {
  readonly endpoints: readonly string[];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly times?: Partial<Times> | undefined;
}

/** The keys from `key` to the one before `end`; without it, one key. */
export interface KeyRange {
  readonly key: string;
  readonly end?: string | undefined;
}

interface RangeRequest extends KeyRange {
  /** Entries in the answer. There are fewer if it were too large. */
  readonly limit?: number;
  /** Whether to leave out the values. */
  readonly keysOnly?: boolean;
}

interface ReadOptions {
  /** Milliseconds in which it is tried again. Default: `request` of {@link TIMES}. */
  readonly within?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Put {
  readonly key: string;
  readonly value: Buffer;
  /** The lease that the key ends with. */
  readonly lease?: string;
}

/** What a key has to be: at the revision of its last change, 0 if there must be none; or of a value. */
type Condition = { readonly key: string } & ({ readonly modRevision: number } | { readonly value: Buffer });

/** Changes that are made together, if all conditions hold. */
export interface Transaction {
  readonly compare: readonly Condition[];
  readonly puts: readonly Put[];
  readonly deletes: readonly KeyRange[];
}

/** Thrown when no answer came to a transaction: it may have been carried out, or may be later. */
export class UncertainError extends UnreachableError {}

const PAUSE_MS = 50;
const LOGIN = "auth/authenticate";
/** For one request. */
const MAX_LOGINS = 3;

/**
 * The HTTP/JSON gateway of an etcd cluster (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/). All endpoints are
 * tried, beginning with the one that answered last.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #http: HttpPosts;
  readonly #times: Times;
  /** Counts requests that got no answer: a watch may be on a connection that is dead. */
  failures = 0;
  #current = 0;
  #token: Promise<string> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#http = new HttpPosts(options, "should the URL begin with etcd:?");
    this.#times = { ...TIMES, ...options.times };
  }

  /** Reads one range, as {@link ranges} does. */
  async range(request: RangeRequest, options?: ReadOptions): Promise<RangeAnswer> {
    return (await this.ranges([request], options))[0] as RangeAnswer;
  }

  /**
   * Reads ranges of keys at one revision: the newest, as a majority of the members knows it.
   *
   * @throws UnreachableError, UnauthorizedError, ServerError
   */
  async ranges(
    requests: readonly RangeRequest[],
    { within = this.#times.request, signal }: ReadOptions = {},
  ): Promise<RangeAnswer[]> {
    let divisor = 1;
    return this.#repeat(within, signal, async (endpoint, timeout) => {
      const success = requests.map(({ key, end, limit, keysOnly }) => ({
        request_range: {
          ...encodeRange({ key, end }),
          ...(limit && { limit: Math.ceil(limit / divisor) }),
          ...(keysOnly && { keys_only: true }),
        },
      }));
      try {
        return await this.#post(endpoint, "kv/txn", ANSWERS.ranges, { success }, { timeout, signal });
      } catch (error) {
        if (error instanceof TooLargeError) divisor *= 10;
        throw error;
      }
    });
  }

  /**
   * Carries a transaction out, at most once.
   *
   * @param timeout milliseconds for an answer
   * @returns whether all conditions held, and the revision of the cluster afterwards
   * @throws UncertainError; UnreachableError when it was certainly not carried out; UnauthorizedError, ServerError
   */
  async commit(
    { compare, puts, deletes }: Transaction,
    timeout = this.#times.transaction,
  ): Promise<{ succeeded: boolean; revision: number }> {
    const body = {
      compare: compare.map(({ key, ...expected }) => ({
        key: base64(key),
        result: "EQUAL",
        ...("value" in expected
          ? { target: "VALUE", value: expected.value.toString("base64") }
          : { target: "MOD", mod_revision: expected.modRevision }),
      })),
      success: [
        ...puts.map(({ key, value, lease }) => ({
          request_put: { key: base64(key), value: value.toString("base64"), ...(lease && { lease }) },
        })),
        ...deletes.map((range) => ({ request_delete_range: encodeRange(range) })),
      ],
    };
    return this.#repeat(this.#times.request, undefined, async (endpoint) => {
      try {
        return await this.#post(endpoint, "kv/txn", ANSWERS.transaction, body, { timeout });
      } catch (error) {
        const isUncertain = isTransient(error) && !(error instanceof NotSentError);
        throw isUncertain ? new UncertainError((error as Error).message, { cause: error }) : error;
      }
    });
  }

  /** Returns the id of a new lease. @throws as `range` */
  async grantLease(milliseconds: number): Promise<string> {
    const body = { TTL: Math.ceil(milliseconds / 1_000) };
    return this.#repeat(this.#times.write, undefined, (endpoint, timeout) =>
      this.#post(endpoint, "lease/grant", ANSWERS.lease, body, { timeout }),
    );
  }

  /** Keeps a lease for as long as it was granted for. @throws as `range` */
  async keepLease(id: string): Promise<void> {
    await this.#repeat(this.#times.attempt, undefined, (endpoint, timeout) =>
      this.#post(endpoint, "lease/keepalive", ANSWERS.any, { ID: id }, { timeout }),
    );
  }

  /**
   * Yields for each change of a key from a revision on. It ends by an error only.
   *
   * @throws CompactedError; UnreachableError, UnauthorizedError, ServerError
   */
  async *watch(key: string, from: number, signal: AbortSignal): AsyncGenerator<void> {
    const body = { create_request: { key: base64(key), start_revision: from } };
    const endpoint = this.endpoint;
    try {
      const limits = { timeout: this.#times.attempt, signal };
      const headers = await this.#headers(endpoint, signal);
      for await (const line of this.#http.postForLines(`${endpoint}/v3/watch`, body, headers, limits))
        if (parseWatch(line)) yield;
      throw new UnreachableError("it ended the stream");
    } catch (error) {
      if (isTransient(error)) this.#rotateFrom(endpoint);
      if (isRefusedToken(error) || error instanceof CanceledWatchError) this.#token = undefined;
      throw error;
    }
  }

  /** The one that the next request goes to. */
  get endpoint(): string {
    return this.#options.endpoints[this.#current] as string;
  }

  close(): void {
    this.#http.close();
  }

  #rotateFrom(endpoint: string): void {
    this.failures++;
    if (endpoint === this.endpoint) this.#current = (this.#current + 1) % this.#options.endpoints.length;
  }

  /** Calls `attempt` with one endpoint after another, each at least once, while it fails for a reason that may pass. */
  async #repeat<T>(
    totalMs: number,
    signal: AbortSignal | undefined,
    attempt: (endpoint: string, timeout: number) => Promise<T>,
  ): Promise<T> {
    const { endpoints } = this.#options;
    const endsAt = performance.now() + totalMs;
    const reasons = new Map<string, string>();
    let logins = 0;
    /** Failures in a row that don't pass. */
    let hopeless = 0;
    let timeout = this.#times.attempt;
    for (let tries = 1; ; tries++) {
      const [endpoint, startedAt] = [this.endpoint, performance.now()];
      try {
        return await attempt(endpoint, timeout);
      } catch (error) {
        // A member that hangs, or a cluster that is slow.
        if (performance.now() - startedAt >= timeout)
          timeout = Math.max(this.#times.attempt, Math.min(2 * timeout, endsAt - performance.now()));
        if (error instanceof UncertainError || signal?.aborted) {
          this.#rotateFrom(endpoint);
          throw error;
        }
        // A member that was down may not know a token that another one has given since.
        if (isRefusedToken(error) && logins++ < MAX_LOGINS) {
          this.#token = undefined;
          continue;
        }
        if (!isTransient(error)) throw explainRefusal(error);
        reasons.set(endpoint, (error as Error).message);
        hopeless = error instanceof TlsError ? hopeless + 1 : 0;
        this.#rotateFrom(endpoint);
        const isOver = performance.now() >= endsAt || hopeless >= endpoints.length;
        if (!isOver || tries < endpoints.length) {
          // All have been tried: an election may be going on.
          if (tries % endpoints.length === 0) await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
          continue;
        }
        const list = [...reasons].map(([origin, reason]) => `${origin} (${reason})`).join(", ");
        // A cluster that was restored from a backup does not answer those with a token from a later revision.
        this.#token = undefined;
        throw new UnreachableError(`no member of the store answers: ${list}`, { cause: error });
      }
    }
  }

  async #post<T>(
    endpoint: string,
    path: string,
    form: GenericSchema<unknown, T>,
    body: unknown,
    limits: PostLimits,
  ): Promise<T> {
    const headers = path === LOGIN ? {} : await this.#headers(endpoint, limits.signal);
    const { status, body: text } = await this.#http.post(`${endpoint}/v3/${path}`, body, headers, limits);
    if (status === 200) return parseAnswer(form, text);
    throw status >= 500 && !text.startsWith("{") ? new ServerError(`it answers ${status}`, 503) : refusal(text);
  }

  async #headers(endpoint: string, signal: AbortSignal | undefined): Promise<Record<string, string>> {
    const { user, password } = this.#options;
    if (user === undefined) return {};
    const credentials = { name: user, password: password ?? "" };
    const limits = { timeout: this.#times.attempt, signal };
    this.#token ??= this.#post(endpoint, LOGIN, ANSWERS.token, credentials, limits);
    try {
      return { Authorization: await this.#token };
    } catch (error) {
      this.#token = undefined;
      if (!isTransient(error) || error instanceof NotSentError) throw error;
      // It was not sent, as far as the request that needs the token goes.
      throw new NotSentError((error as Error).message, { cause: error });
    }
  }
}

/** Whether another attempt, or another member, may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof CompactedError || error instanceof RefusedError) return false;
  return error instanceof UnreachableError || error instanceof ServerError;
}

/** etcd forgets tokens after some minutes, when it is restarted, and when users are changed. */
function isRefusedToken(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return false;
  return error.grpcCode === 16 || /revision of auth store is old|revision in header is old/.test(error.message);
}

function explainRefusal(error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error;
  const { message, grpcCode } = error;
  if (/authentication failed|user name is empty|invalid auth token/.test(message))
    return new UnauthorizedError(
      "the store refuses the user and password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD",
    );
  if (grpcCode === 7) return new UnauthorizedError("the store does not let this user read and write these keys");
  if (message.includes("authentication is not enabled"))
    return new UnauthorizedError("the store has no users: unset APPVARS_STORE_USER, or enable authentication in etcd");
  return new ServerError(`the store refuses the request: ${message}`, 400);
}

function encodeRange({ key, end }: KeyRange): object {
  return { key: base64(key), ...(end !== undefined && { range_end: base64(end) }) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
