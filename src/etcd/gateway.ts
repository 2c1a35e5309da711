import { setTimeout as delay } from "node:timers/promises";
import type { TlsTexts } from "../kit/net/tls-options.js";
import { ServerError, UnauthorizedError, UnreachableError } from "../kit/text/errors.js";
import {
  malformed,
  parseLease,
  parseToken,
  parseTransaction,
  parseWatch,
  type RangeAnswer,
  RefusedError,
  refusal,
  type StoredKey,
} from "./answers.js";
import { HttpPosts, NotSentError, type PostLimits, TlsError } from "./json-posts.js";

/** Times in milliseconds. */
const TIMES = {
  /**
   * The time for the first attempt of a request. It doubles with each attempt. It is short, since a
   * transaction that reaches a cluster without a leader gets no answer, even once there is one.
   */
  attempt: 1_000,
  /** The time in which a request is tried again. An election takes 1 to 2 seconds. */
  request: 10_000,
  /** The time without progress after which a change is given up. */
  write: 30_000,
  /** The time between two comparisons of a followed store with the cluster. */
  poll: 2_000,
  /** The time after which the parts of a large write are removed if its writer is killed. */
  lease: 30_000,
};
export type Times = Readonly<typeof TIMES>;

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
  /** Entries in the answer. */
  readonly limit?: number;
  /** Whether to leave out the values. */
  readonly keysOnly?: boolean;
}

interface RepeatOptions {
  /** Milliseconds in which it is tried again. Default: `request`, for a transaction `write`. */
  readonly within?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Called when a transaction was refused after an attempt that got no answer, and what it puts is
 * not stored.
 *
 * @param present the keys of the conditions, in their order
 * @throws InvalidDataError if that attempt may have succeeded
 */
export type CheckTrace = (present: readonly (StoredKey | undefined)[]) => void;

export interface Put {
  readonly key: string;
  readonly value: Buffer;
  /** The lease that the key ends with. */
  readonly lease?: string;
}

/**
 * What must be true of a key: the revision of its last change (0: the key must not exist), or its
 * value. A transaction is retried while every condition that fails has an `obstacle`, which is
 * temporary. Any other condition that fails can never hold again.
 */
export type Condition = { readonly key: string; readonly obstacle?: string } & (
  | { readonly modRevision: number }
  | { readonly value: Buffer }
);

/** Changes that are made together, if all conditions hold. */
export interface Transaction {
  readonly compare: readonly Condition[];
  readonly puts?: readonly Put[];
  readonly deletes?: readonly KeyRange[];
}

/** Thrown when no answer came to a transaction: it may have been carried out, or may be later. */
export class UncertainError extends UnreachableError {}

/** Thrown when the conditions of a transaction do not hold yet. */
class NotYetError extends UnreachableError {}

const PAUSE_MS = 50;
/** The longest random pause before a transaction whose conditions do not hold yet is sent again. */
const MAX_WAIT_MS = 300;
const LOGIN = "auth/authenticate";

/**
 * The HTTP/JSON gateway of an etcd cluster (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/).
 * All endpoints are tried, beginning with the one that answered last.
 */
export class Gateway {
  readonly times: Times;
  readonly #options: GatewayOptions;
  readonly #http: HttpPosts;
  #current = 0;
  #token: Promise<string> | undefined;
  #isClosed = false;

  constructor(options: GatewayOptions) {
    this.times = { ...TIMES, ...options.times };
    this.#options = options;
    this.#http = new HttpPosts(options, "should the URL begin with etcd:?");
  }

  /** @throws as `ranges` */
  async range(request: RangeRequest, options?: RepeatOptions): Promise<RangeAnswer> {
    return (await this.ranges([request], options))[0] as RangeAnswer;
  }

  /**
   * Reads ranges of keys at one revision: the newest, as a majority of the members knows it.
   *
   * @throws UnreachableError, UnauthorizedError, ServerError
   */
  async ranges(
    requests: readonly RangeRequest[],
    options: RepeatOptions = {},
  ): Promise<RangeAnswer[]> {
    const success = requests.map(({ key, end, limit, keysOnly }) => ({
      request_range: { ...encodeRange({ key, end }), limit, keys_only: keysOnly },
    }));
    const attempt = (endpoint: string, timeout: number) =>
      this.#transact(endpoint, { success }, { timeout, signal: options.signal });
    return (await this.#repeat(options, attempt)).ranges;
  }

  /**
   * Sends a transaction until there is an answer. Of several deliveries, at most one must be able
   * to succeed, or all must have the same effect (docs/design/etcd-store.md).
   *
   * @returns the revision at which it was carried out; undefined if its conditions do not hold
   * @throws UncertainError; UnreachableError when it was certainly not carried out;
   *   UnauthorizedError, ServerError
   */
  async commit(
    { compare, puts = [], deletes = [] }: Transaction,
    { checkTrace, within = this.times.write }: { checkTrace?: CheckTrace; within?: number } = {},
  ): Promise<number | undefined> {
    const body = {
      compare: compare.map(({ key, obstacle, ...expected }) => ({
        key: base64(key),
        result: "EQUAL",
        ...("value" in expected
          ? { target: "VALUE", value: base64(expected.value) }
          : { target: "MOD", mod_revision: expected.modRevision }),
      })),
      success: [
        ...puts.map(({ key, value, lease }) => ({
          request_put: { key: base64(key), value: base64(value), lease },
        })),
        ...deletes.map((range) => ({ request_delete_range: encodeRange(range) })),
      ],
      failure: compare.map(({ key }) => ({ request_range: encodeRange({ key }) })),
    };
    let isUncertain = false;
    const attempt = async (endpoint: string, timeout: number) => {
      try {
        const { succeeded, revision, ranges } = await this.#transact(endpoint, body, { timeout });
        if (succeeded) return revision;
        const present = ranges.map(({ entries }) => entries[0]);
        const made = present.find((now) =>
          puts.some(({ key, value }) => now?.key === key && now.value.equals(value)),
        );
        if (made) return made.modRevision;
        const obstacles = compare.flatMap((one, index) =>
          holds(one, present[index]) ? [] : [one.obstacle],
        );
        if (obstacles.every(Boolean)) throw new NotYetError(obstacles[0]);
        if (isUncertain) checkTrace?.(present);
        return undefined;
      } catch (error) {
        isUncertain ||= !(error instanceof RefusedError || error instanceof NotSentError);
        throw error;
      }
    };
    try {
      return await this.#repeat({ within }, attempt);
    } catch (error) {
      throw isUncertain ? new UncertainError((error as Error).message, { cause: error }) : error;
    }
  }

  /** Returns the id of a new lease. @throws as `range` */
  async grantLease(milliseconds: number): Promise<string> {
    const body = { TTL: Math.ceil(milliseconds / 1_000) };
    return this.#repeat({ within: this.times.write }, (endpoint, timeout) =>
      this.#post(endpoint, "lease/grant", parseLease, body, { timeout }),
    );
  }

  /** @throws as `range` */
  async keepLease(id: string): Promise<void> {
    await this.#repeat({ within: this.times.attempt }, (endpoint, timeout) =>
      this.#post(endpoint, "lease/keepalive", () => undefined, { ID: id }, { timeout }),
    );
  }

  /**
   * Yields when it has begun, and for each change of a key from then on. It ends by an error only.
   *
   * @throws as `range`
   */
  async *watch(key: string, signal: AbortSignal): AsyncGenerator<void> {
    const body = { create_request: { key: base64(key) } };
    const endpoint = this.endpoint;
    try {
      const limits = { timeout: this.times.attempt, signal };
      const headers = await this.#headers(endpoint, signal);
      for await (const line of this.#http.postForLines(
        `${endpoint}/v3/watch`,
        body,
        headers,
        limits,
      ))
        if (parseWatch(line)) yield;
    } catch (error) {
      this.#leave(endpoint);
      throw error;
    }
  }

  get endpoint(): string {
    return this.#options.endpoints[this.#current] as string;
  }

  /** Ends requests. They are not tried again, and a new one is tried once. */
  close(): void {
    this.#isClosed = true;
    this.#http.close();
  }

  /** The next request goes to another member, with a new login. */
  #leave(endpoint: string): void {
    if (endpoint === this.endpoint)
      this.#current = (this.#current + 1) % this.#options.endpoints.length;
    // A token may have expired, or be newer than a cluster that was restored.
    this.#token = undefined;
  }

  /** Calls `attempt` for one endpoint after another, each at least once, while it may succeed. */
  async #repeat<T>(
    { within = this.times.request, signal }: RepeatOptions,
    attempt: (endpoint: string, timeout: number) => Promise<T>,
  ): Promise<T> {
    const { endpoints } = this.#options;
    const endsAt = performance.now() + within;
    const reasons = new Map<string, string>();
    /** Failures in a row that don't pass. */
    let hopeless = 0;
    let timeout = this.times.attempt;
    for (let tries = 1; ; tries++) {
      const [endpoint, startedAt] = [this.endpoint, performance.now()];
      try {
        return await attempt(endpoint, timeout);
      } catch (error) {
        if (error instanceof NotYetError)
          await delay(Math.random() * MAX_WAIT_MS, undefined, { signal }).catch(() => {});
        else this.#leave(endpoint);
        if (!isTransient(error)) throw explainRefusal(error);
        if (signal?.aborted || this.#isClosed) throw error;
        // A member that hangs, or a cluster that is slow.
        const now = performance.now();
        if (now - startedAt >= timeout)
          timeout = Math.max(this.times.attempt, Math.min(2 * timeout, endsAt - now));
        reasons.set(endpoint, (error as Error).message);
        hopeless = error instanceof TlsError || error instanceof RefusedError ? hopeless + 1 : 0;
        if ((now >= endsAt || hopeless > endpoints.length) && tries >= endpoints.length) {
          if (error instanceof RefusedError) throw explainRefusal(error);
          const list = [...reasons].map(([origin, reason]) => `${origin} (${reason})`).join(", ");
          throw new UnreachableError(`no member of the store answers: ${list}`, { cause: error });
        }
        // All have been tried: an election may be going on.
        if (tries % endpoints.length === 0)
          await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #transact(
    endpoint: string,
    body: { success: object[]; failure?: object[] },
    limits: PostLimits,
  ) {
    const answer = await this.#post(endpoint, "kv/txn", parseTransaction, body, limits);
    const asked = answer.succeeded ? body.success : body.failure;
    if (answer.ranges.length !== asked?.length) throw malformed();
    return answer;
  }

  async #post<T>(
    endpoint: string,
    path: string,
    parse: (text: string) => T,
    body: unknown,
    limits: PostLimits,
  ): Promise<T> {
    const headers = path === LOGIN ? {} : await this.#headers(endpoint, limits.signal);
    const { status, body: text } = await this.#http.post(
      `${endpoint}/v3/${path}`,
      body,
      headers,
      limits,
    );
    if (status === 200) return parse(text);
    throw status >= 500 && !text.startsWith("{")
      ? new ServerError(`it answers ${status}`, 503)
      : refusal(text);
  }

  async #headers(
    endpoint: string,
    signal: AbortSignal | undefined,
  ): Promise<Record<string, string>> {
    const { user, password } = this.#options;
    if (user === undefined) return {};
    const credentials = { name: user, password: password ?? "" };
    const limits = { timeout: this.times.attempt, signal };
    this.#token ??= this.#post(endpoint, LOGIN, parseToken, credentials, limits).catch((error) => {
      // As far as the request that needs the token goes.
      const isNotSent = error instanceof NotSentError || error instanceof RefusedError;
      throw isNotSent ? error : new NotSentError(error.message, { cause: error });
    });
    return { Authorization: await this.#token };
  }
}

/** Whether another attempt, or another member, may succeed. */
function isTransient(error: unknown): boolean {
  // etcd forgets tokens after some minutes, when it is restarted, and when users are changed.
  if (error instanceof RefusedError)
    return (
      error.grpcCode === 16 ||
      /revision of auth store is old|revision in header is old/.test(error.message)
    );
  return error instanceof UnreachableError || error instanceof ServerError;
}

function explainRefusal(error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error;
  const { message, grpcCode } = error;
  if (/authentication failed|user name is empty|invalid auth token/.test(message))
    return new UnauthorizedError(
      "the store refuses the user and password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD",
    );
  if (grpcCode === 7)
    return new UnauthorizedError("the store does not let this user read and write these keys");
  if (message.includes("authentication is not enabled"))
    return new UnauthorizedError(
      "the store has no users: unset APPVARS_STORE_USER, or enable authentication in etcd",
    );
  return new ServerError(`the store refuses the request: ${message}`, 400);
}

function holds(condition: Condition, now: StoredKey | undefined): boolean {
  if ("value" in condition) return now?.value.equals(condition.value) ?? false;
  return (now?.modRevision ?? 0) === condition.modRevision;
}

function encodeRange({ key, end }: KeyRange): object {
  return { key: base64(key), ...(end !== undefined && { range_end: base64(end) }) };
}

function base64(content: string | Buffer): string {
  return Buffer.from(content).toString("base64");
}
