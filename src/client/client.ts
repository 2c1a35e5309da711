import { checkCertifiedKey } from "../kit/crypto/certificates.js";
import { ticks } from "../kit/net/exchange.js";
import { parseProxy, type ServerRoute } from "../kit/net/proxy.js";
import type { TlsPem } from "../kit/net/tls-options.js";
import { ifNotFound, ServerError } from "../kit/text/errors.js";
import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT } from "../model/defaults.js";
import type { Health } from "../model/reads/health.js";
import { VERSION_HEADER } from "../model/reads/http-headers.js";
import {
  type Answer,
  pickValues,
  type Read,
  type Snapshot,
  VariableReader,
  type VariableSource,
} from "../model/reads/read.js";
import { MAX_KEYLESS_TARGET, MAX_TARGET, ROUTES, targetOf } from "../model/reads/routes.js";
import { readVariableEntries, valuesByName } from "../model/reads/variable-entries.js";
import {
  type AuthScheme,
  checkCredential,
  checkSeconds,
  parseAuth,
  parseOrigin,
  refusePlainSecret,
} from "../model/server-options.js";
import { authHeaders } from "../signing/sign.js";
import { interpret, interpretHealth } from "./decode.js";
import { type DataVersion, newestVersion } from "./newest-data.js";
import { readConsistent, type SendRead, type SnapshotAttempt } from "./read-consistent.js";
import { addToBudget, type Budget, createBudget, type RetryOptions, withRetries } from "./retry.js";
import { type HttpResponse, type RequestLimits, Transport } from "./transport.js";

export interface ClientOptions
  extends TlsPem,
    Pick<RetryOptions, "maxWait" | "retryOn" | "onRetry"> {
  /**
   * Identifies the environment. `hmac` works without it: the server then tries
   * the secrets of its environments.
   */
  apiKey?: string | undefined;
  /** Every call except `getHealth` needs it, or rejects with UnauthorizedError. */
  apiSecret?: string | undefined;
  /** The scheme, host and port of the server: `http://127.0.0.1:7400`. */
  url: string | URL;
  /** Default `hmac`. */
  auth?: AuthScheme | undefined;
  /**
   * Whether `headers` may send the secret to another machine over plain HTTP.
   * Default false.
   */
  insecure?: boolean | undefined;
  /** The timeout of one request, in seconds. Default 10. */
  timeout?: number | undefined;
  /**
   * The URL of an HTTP proxy, optionally with user and password:
   * `http://proxy.example.com:3128`.
   */
  proxy?: string | URL | undefined;
  /**
   * Whether to cache answers and send conditional requests, which speeds up
   * repeated reads.
   */
  revalidate?: boolean | undefined;
  onResponse?: ((exchange: Exchange) => void) | undefined;
}

interface Exchange extends Pick<HttpResponse, "status" | "headers" | "milliseconds"> {
  target: string;
}

/** Options for commands and tests. */
interface ClientParts
  extends Partial<Pick<RetryOptions, "ticks" | "random" | "sleep">>,
    Pick<ServerRoute, "from" | "proxy"> {
  /** Unix time in milliseconds. */
  clock?: () => number;
  /**
   * The budget of the command, whose requests get `maxWait` and one `timeout`
   * in total. By default, each call has a separate budget.
   */
  budget?: Budget | undefined;
  wrapSend?: (ask: SendRead) => SendRead;
}

/** The size of the cache: two lists of 100,000 in pages of 1,000. */
const MAX_ANSWERS = 200;

type ReadOfValues = Extract<Read, { kind: "valuesByName" }>;

/** The client of the library, except that encrypted values stay encrypted. */
export class Client extends VariableReader implements VariableSource {
  readonly #options: ClientOptions & { auth: AuthScheme };
  readonly #parts: ClientParts & Required<Pick<ClientParts, "clock">>;
  readonly #retry: Omit<RetryOptions, "budget">;
  readonly #transport: Transport;
  readonly #cache = new Map<string, { etag: string; answer: unknown }>();
  #newest: DataVersion | undefined;
  /** Whether the server is too old for the read of all values. */
  #hasPagesOnly = false;
  readonly #closed = new AbortController();

  constructor(options: ClientOptions, parts: ClientParts = {}) {
    super();
    const { auth = "hmac", timeout = DEFAULT_TIMEOUT, maxWait, retryOn, onRetry } = options;
    const { ca, cert, key } = options;
    // An empty proxy counts as missing.
    const { budget, from, proxy = options.proxy ? parseProxy(options.proxy) : undefined } = parts;
    parseAuth(auth, "auth");
    checkCredential("API key", options.apiKey);
    checkCredential("API secret", options.apiSecret);
    checkSeconds("timeout", timeout, 0.001);
    checkSeconds("maxWait", maxWait ?? DEFAULT_MAX_WAIT, 0);
    const origin = parseOrigin(options.url);
    refusePlainSecret(auth, origin, options.insecure ?? false, proxy !== undefined);
    if (cert !== undefined || key !== undefined)
      checkCertifiedKey({ cert: cert ?? "", key: key ?? "" });
    this.#options = { ...options, auth };
    this.#parts = { clock: Date.now, ...parts };
    this.#transport = new Transport({ origin, from, timeout, ca, cert, key, proxy });
    const total = budget ? (maxWait ?? DEFAULT_MAX_WAIT) + timeout : Number.POSITIVE_INFINITY;
    const { random = Math.random, sleep = this.#sleep } = parts;
    this.#retry = { total, maxWait, ticks: parts.ticks ?? ticks, random, sleep, retryOn, onRetry };
  }

  answer<R extends Read>(read: R): Promise<Answer<R>> {
    // The answer may take several pages.
    if (read.kind === "valuesByName" || this.#parts.wrapSend)
      return this.readSnapshot((snapshot) => snapshot.answer(read));
    return this.#ask(read, this.#parts.budget ?? createBudget());
  }

  readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const budget = this.#parts.budget ?? createBudget();
    const ask = <R extends Read>(one: R, attempt: SnapshotAttempt) =>
      one.kind === "valuesByName"
        ? (this.#askValues(one, budget, attempt) as Promise<Answer<R>>)
        : this.#ask(one, budget, attempt);
    return readConsistent(read, this.#parts.wrapSend?.(ask) ?? ask, { ...this.#retry, budget });
  }

  /** Reads pages if the server is too old for this read. */
  async #askValues(
    { kind, names }: ReadOfValues,
    budget: Budget,
    attempt: SnapshotAttempt,
  ): Promise<Answer<ReadOfValues>> {
    const maxTarget = this.#options.apiKey ? MAX_TARGET : MAX_KEYLESS_TARGET;
    const read: ReadOfValues =
      targetOf({ kind, names }).length <= maxTarget ? { kind, names } : { kind };
    const answer = this.#hasPagesOnly
      ? undefined
      : await this.#ask(read, budget, attempt).catch(ifNotFound);
    this.#hasPagesOnly = answer === undefined;
    const values = answer?.data ?? valuesByName(await readVariableEntries(attempt));
    return { data: pickValues(values, names) };
  }

  async getHealth(): Promise<Health> {
    const budget = this.#parts.budget ?? createBudget();
    const { healthy, health } = await withRetries(
      async (atMost) => interpretHealth(await this.#send(ROUTES.health, {}, budget, { atMost })),
      { ...this.#retry, budget },
    );
    if (!healthy) throw new ServerError(health.message, 503);
    return health;
  }

  close(): Promise<void> {
    this.#closed.abort();
    return this.#transport.close();
  }

  /** Signs each attempt, since signatures expire. */
  async #ask<R extends Read>(
    read: R,
    budget: Budget,
    attempt?: SnapshotAttempt,
  ): Promise<Answer<R>> {
    const { auth } = this.#options;
    const target = targetOf(read);
    const request = async (atMost: number) => {
      attempt?.signal.throwIfAborted();
      const cached = this.#cache.get(target);
      const timestamp = this.#parts.clock();
      const signed = authHeaders(auth, this.#options, { timestamp, method: "GET", route: target });
      const headers = { ...signed, ...(cached && { "if-none-match": cached.etag }) };
      const sentAt = this.#retry.ticks();
      const limits = { atMost, signal: attempt?.signal };
      const response = await this.#send(target, headers, budget, limits);
      // Only a server over a data store sends a version.
      if (response.headers[VERSION_HEADER.toLowerCase()] !== undefined)
        this.#newest = newestVersion(this.#newest, response.headers, sentAt, this.#retry.ticks());
      try {
        if (cached && response.status === 304) return cached.answer as Answer<R>;
        const answer = interpret(response, read, auth === "hmac" ? timestamp : undefined);
        if (this.#options.revalidate) this.#store(target, response.headers.etag, answer);
        return answer;
      } finally {
        // After caching: an answer of another revision stays in the cache,
        // because the next attempt asks for it. A 404 for an unknown path has
        // no revision.
        if (read.kind !== "valuesByName" || response.status !== 404) attempt?.check(response);
      }
    };
    return withRetries(request, { ...this.#retry, budget });
  }

  #store(target: string, etag: string | undefined, answer: unknown): void {
    this.#cache.delete(target);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= MAX_ANSWERS && oldest !== undefined) this.#cache.delete(oldest);
    if (etag) this.#cache.set(target, { etag, answer });
  }

  async #send(
    target: string,
    headers: Record<string, string>,
    budget: Budget,
    limits: RequestLimits,
  ): Promise<HttpResponse> {
    const response = await this.#transport.get(target, headers, limits);
    const { status, headers: received, body } = response;
    const milliseconds = Math.round(response.milliseconds);
    this.#options.onResponse?.({ target, status, headers: received, milliseconds });
    addToBudget(budget, body);
    return response;
  }

  #sleep = async (seconds: number): Promise<void> => {
    // Loaded on demand: few clients ever wait.
    const { setTimeout: delay } = await import("node:timers/promises");
    await delay(seconds * 1_000, undefined, { signal: this.#closed.signal }).catch(() => {});
  };
}
