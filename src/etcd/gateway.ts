import { setTimeout as delay } from "node:timers/promises";
import { ServerError, UnauthorizedError, UnreachableError } from "../domain/errors.js";
import type { TlsTexts } from "../domain/tls-options.js";
import {
  CanceledWatchError,
  CompactedError,
  type Entry,
  type KeyChange,
  parseAnswer,
  parseRange,
  parseToken,
  parseTxn,
  parseWatch,
  type RangeAnswer,
  RefusedError,
  refusal,
} from "./answers.js";
import { HttpPosts, NotSentError, TlsError, TooLargeError } from "./http.js";
import { TIMES, type Times } from "./times.js";

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
  /** Default: the newest, as a majority of the members knows it. */
  readonly revision?: number | undefined;
  /** Milliseconds in which it is tried again. Default: `request` of {@link TIMES}. */
  readonly within?: number | undefined;
}

interface WatchRequest extends KeyRange {
  readonly from: number;
  /** Of the cluster that the revision belongs to. */
  readonly clusterId: string | undefined;
}

/** Changes that are made together, if all keys are still at these revisions; 0 stands for a key that does not exist. */
export interface Transaction {
  readonly compare: readonly { readonly key: string; readonly modRevision: number }[];
  readonly puts: readonly { readonly key: string; readonly value: Buffer }[];
  readonly deletes: readonly KeyRange[];
}

/** Thrown when no answer came to a transaction: it may have been carried out, or may be later. */
export class UncertainError extends UnreachableError {}

const PAUSE_MS = 50;
const TRANSACTION = "kv/txn";
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
  #current = 0;
  #token: Promise<string> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#http = new HttpPosts(options);
    this.#times = { ...TIMES, ...options.times };
  }

  /** @throws CompactedError; UnreachableError, UnauthorizedError, ServerError */
  async range(
    { key, end, limit, revision, within = this.#times.request }: RangeRequest,
    signal?: AbortSignal,
  ): Promise<RangeAnswer> {
    let size = limit;
    return this.#repeat(within, signal, async (endpoint) => {
      const body = { ...encodeRange({ key, end }), ...(size && { limit: size }), ...(revision && { revision }) };
      try {
        const answer = parseRange(await this.#post(endpoint, "kv/range", body, signal));
        checkRange(answer, { key, end }, revision);
        return answer;
      } catch (error) {
        if (size && error instanceof TooLargeError) size = Math.ceil(size / 10);
        throw error;
      }
    });
  }

  /**
   * Carries a transaction out, at most once.
   *
   * @returns whether all keys were at their revisions, and the revision of the cluster afterwards
   * @throws UncertainError; UnreachableError when it was certainly not carried out; UnauthorizedError, ServerError
   */
  async commit({ compare, puts, deletes }: Transaction): Promise<{ succeeded: boolean; revision: number }> {
    const body = {
      compare: compare.map(({ key, modRevision }) => ({
        key: base64(key),
        target: "MOD",
        result: "EQUAL",
        mod_revision: modRevision,
      })),
      success: [
        ...puts.map(({ key, value }) => ({ request_put: { key: base64(key), value: value.toString("base64") } })),
        ...deletes.map((range) => ({ request_delete_range: encodeRange(range) })),
      ],
    };
    return this.#repeat(this.#times.request, undefined, async (endpoint) => {
      try {
        const answer = parseTxn(await this.#post(endpoint, TRANSACTION, body));
        checkTxn(answer, { compare, puts });
        return answer;
      } catch (error) {
        const isUncertain = isTransient(error) && !(error instanceof NotSentError);
        throw isUncertain ? new UncertainError((error as Error).message, { cause: error }) : error;
      }
    });
  }

  /**
   * The changes of the keys from a revision on, as they come. It ends by an error only.
   *
   * @throws CompactedError; UnreachableError, UnauthorizedError, ServerError
   */
  async *watch({ key, end, from, clusterId }: WatchRequest, signal: AbortSignal): AsyncGenerator<readonly KeyChange[]> {
    const body = { create_request: { ...encodeRange({ key, end }), start_revision: from } };
    const endpoint = this.endpoint;
    try {
      const limits = { timeout: this.#times.attempt, signal };
      const lines = this.#http.postForLines(
        `${endpoint}/v3/watch`,
        body,
        await this.#headers(endpoint, signal),
        limits,
      );
      for await (const line of lines) {
        const answer = parseWatch(parseAnswer(line));
        if (answer.clusterId !== clusterId) throw new ServerError("it is of another cluster", 200);
        checkKeys(answer.changes, { key, end });
        yield answer.changes;
      }
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
    if (endpoint === this.endpoint) this.#current = (this.#current + 1) % this.#options.endpoints.length;
  }

  /** Calls `attempt` with one endpoint after another, each at least once, while it fails for a reason that may pass. */
  async #repeat<T>(
    totalMs: number,
    signal: AbortSignal | undefined,
    attempt: (endpoint: string) => Promise<T>,
  ): Promise<T> {
    const { endpoints } = this.#options;
    const endsAt = performance.now() + totalMs;
    const reasons = new Map<string, string>();
    let logins = 0;
    /** Failures in a row that don't pass. */
    let hopeless = 0;
    for (let tries = 1; ; tries++) {
      const endpoint = this.endpoint;
      try {
        return await attempt(endpoint);
      } catch (error) {
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

  async #post(endpoint: string, path: string, body: unknown, signal?: AbortSignal): Promise<Record<string, unknown>> {
    return this.#exchange(endpoint, path, body, await this.#headers(endpoint, signal), signal);
  }

  async #exchange(
    endpoint: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Record<string, unknown>> {
    const { attempt, transaction } = this.#times;
    const limits = { timeout: path === TRANSACTION ? Math.min(attempt, transaction) : attempt, signal };
    const { status, body: text } = await this.#http.post(`${endpoint}/v3/${path}`, body, headers, limits);
    if (status === 200) return parseAnswer(text);
    throw status >= 500 && !text.startsWith("{")
      ? new ServerError(`it answers ${status}`, 503)
      : refusal(parseAnswer(text));
  }

  async #headers(endpoint: string, signal: AbortSignal | undefined): Promise<Record<string, string>> {
    const { user, password } = this.#options;
    if (user === undefined) return {};
    const login = async () => {
      const credentials = { name: user, password: password ?? "" };
      return parseToken(await this.#exchange(endpoint, "auth/authenticate", credentials, {}, signal));
    };
    this.#token ??= login();
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

/** @throws ServerError for keys that were not asked for, or not in order: so that reading page by page comes to an end */
function checkRange({ entries, revision: newest }: RangeAnswer, range: KeyRange, revision = newest): void {
  checkKeys(entries, range);
  const isWrong = entries.some(
    ({ key, modRevision }, index) => modRevision > revision || key <= (entries[index - 1]?.key ?? ""),
  );
  if (isWrong || newest < revision) throw otherKeys();
}

/** @throws ServerError */
function checkKeys(entries: readonly Pick<Entry, "key">[], { key: first, end }: KeyRange): void {
  const isAsked = ({ key }: Pick<Entry, "key">) => (end === undefined ? key === first : key >= first && key < end);
  if (!entries.every(isAsked)) throw otherKeys();
}

function otherKeys(): ServerError {
  return new ServerError("its answer has other keys than those asked for", 200);
}

/** @throws ServerError for a transaction that can't have been made as it says */
function checkTxn(
  { succeeded, revision }: { succeeded: boolean; revision: number },
  { compare, puts }: Pick<Transaction, "compare" | "puts">,
): void {
  const before = Math.max(0, ...compare.map(({ modRevision }) => modRevision));
  // One that only deletes may have found nothing to delete.
  if (succeeded && revision < before + Math.sign(puts.length))
    throw new ServerError("its answer has an earlier revision than the keys", 200);
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
