import type { LookupFunction } from "node:net";
import { checkCertifiedKey } from "../domain/certificates.js";
import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT } from "../domain/defaults.js";
import { ServerError, UsageError } from "../domain/errors.js";
import { ROUTES } from "../domain/routes.js";
import type { Health, Snapshot, VariableSource } from "../domain/source.js";
import { type HttpProxy, parseProxy } from "../http/proxy.js";
import { AUTH_SCHEMES, type AuthScheme, authHeaders } from "./auth-headers.js";
import { type Budget, countAnswer, createBudget, secondsLeft } from "./budget.js";
import type { Decoder } from "./decode.js";
import { interpret, interpretHealth } from "./interpret.js";
import { checkCredential, checkSeconds, parseOrigin, refuseOpenSecret } from "./options.js";
import { Attempt, readUnchanged } from "./read-unchanged.js";
import { RemoteReader } from "./remote-reader.js";
import { type RetryNotice, type RetryOn, type RetryOptions, withRetries } from "./retry.js";
import { type HttpResponse, Transport } from "./transport.js";

export interface ClientOptions {
  /** Names the environment. `hmac` works without it: the server then tries the secrets of its environments. */
  apiKey?: string | undefined;
  /** Without it, every call but `getHealth` rejects with UnauthorizedError. */
  apiSecret?: string | undefined;
  /** Scheme, host and port of the server: `http://127.0.0.1:7400`. */
  url: string | URL;
  /** Default `hmac`. */
  auth?: AuthScheme;
  /** Whether `headers` may send the secret to another machine over plain HTTP. Default false. */
  insecure?: boolean;
  /** Seconds for one request. Default 10. */
  timeout?: number;
  /**
   * Maximum seconds for retries, after 429 too, and for data that changes while it is read; 0 for none. Default 60, but
   * 15 for a server that can't be reached, and 3 while this machine refuses the connection.
   */
  maxWait?: number | undefined;
  /** Whether `maxWait` applies to each call, or to all calls of this client together. Default `call`. */
  maxWaitScope?: "call" | "client";
  /** Whether to retry after any transient failure, or only after a 429. Default `any`. */
  retryOn?: RetryOn | undefined;
  /** PEM certificates to trust instead of those that Node trusts. */
  ca?: string | undefined;
  /** A certificate for servers that require one, and its key, as PEM texts. */
  cert?: string | undefined;
  key?: string | undefined;
  /** URL of an HTTP proxy to send all requests through: `http://proxy.example.com:3128`, also with user and password. */
  proxy?: string | URL | undefined;
  /** Whether to keep answers and send conditional requests, for programs that read the same data repeatedly. */
  revalidate?: boolean;
  /** Called before each pause. */
  onRetry?: (notice: RetryNotice) => void;
  /** Called with each answer. */
  onResponse?: (exchange: Exchange) => void;
}

interface Exchange {
  target: string;
  status: number;
  headers: HttpResponse["headers"];
  milliseconds: number;
}

/** What one try may use; the time in seconds. */
interface Limits {
  budget: Budget;
  atMost: number;
}

/** For commands and tests. */
interface ClientParts extends Partial<Pick<RetryOptions, "ticks" | "random" | "sleep">> {
  /** What the command has used so far. All its requests get `maxWait` and one `timeout` in total. */
  budget?: Budget | undefined;
  /** A proxy that has been chosen and parsed. */
  proxy?: HttpProxy | undefined;
  /** In place of Node's name lookup. */
  lookup?: LookupFunction | undefined;
}

/**
 * The variables of the environment that the credentials belong to, from a server. Opens no connection before the first
 * call.
 *
 * @throws UsageError for a URL that is not the origin of an HTTP server, a credential that can't be sent or would be
 *   sent without encryption, a certificate that can't be used, a URL that is not that of an HTTP proxy, an unknown
 *   scheme, or a time that is out of bounds
 */
export function createClient(options: ClientOptions, parts: ClientParts = {}): VariableSource {
  return new Client(options, parts);
}

class Client extends RemoteReader implements VariableSource {
  readonly #options: ClientOptions & { auth: AuthScheme; timeout: number };
  readonly #retry: Omit<RetryOptions, "budget">;
  readonly #transport: Transport;
  readonly #answers: AnswerCache | undefined;
  /** Undefined if each call has its own budget. */
  readonly #sharedBudget: Budget | undefined;
  /** Seconds for all requests that share a budget. */
  readonly #maxTotal: number;
  readonly #closed = new AbortController();

  constructor(options: ClientOptions, { budget, lookup, proxy = proxyOf(options), ...parts }: ClientParts) {
    super();
    const { auth = "hmac", timeout = DEFAULT_TIMEOUT, maxWait, ca, cert, key, retryOn } = options;
    if (!AUTH_SCHEMES.includes(auth)) throw new UsageError(`auth must be one of ${AUTH_SCHEMES.join(", ")}`);
    checkCredential("API key", options.apiKey);
    checkCredential("API secret", options.apiSecret);
    checkSeconds("timeout", timeout, 0.001);
    checkSeconds("maxWait", maxWait ?? DEFAULT_MAX_WAIT, 0);
    const origin = parseOrigin(options.url);
    refuseOpenSecret(auth, origin, options.insecure ?? false, proxy !== undefined);
    if (cert !== undefined || key !== undefined) checkCertifiedKey({ cert: cert ?? "", key: key ?? "" });
    this.#options = { ...options, auth, timeout };
    this.#transport = new Transport({ origin, timeout, ca, cert, key, proxy, lookup });
    const { onRetry = () => {} } = options;
    const { ticks = () => performance.now(), random = Math.random, sleep = this.#sleep } = parts;
    this.#retry = { maxWait, ticks, random, sleep, retryOn, onRetry };
    this.#sharedBudget = budget ?? (options.maxWaitScope === "client" ? createBudget() : undefined);
    this.#maxTotal = budget ? (maxWait ?? DEFAULT_MAX_WAIT) + timeout : Number.POSITIVE_INFINITY;
    this.#answers = options.revalidate ? new AnswerCache() : undefined;
  }

  readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const budget = this.#nextBudget();
    const newAttempt = () =>
      new Attempt((target, decode, attempt) =>
        this.#retrying((limits) => this.#ask(target, decode, limits, attempt), budget),
      );
    return readUnchanged(read, newAttempt, { ...this.#retry, budget });
  }

  async getHealth(): Promise<Health> {
    const { healthy, health } = await this.#retrying(async (limits) =>
      interpretHealth(await this.#send(ROUTES.health, {}, limits)),
    );
    if (!healthy) throw new ServerError(health.message, 503);
    return health;
  }

  close(): Promise<void> {
    this.#closed.abort();
    return this.#transport.close();
  }

  protected get<T>(target: string, decode: Decoder<T>): Promise<T> {
    return this.#retrying((limits) => this.#ask(target, decode, limits));
  }

  #nextBudget(): Budget {
    return this.#sharedBudget ?? createBudget();
  }

  #retrying<T>(attempt: (limits: Limits) => Promise<T>, budget = this.#nextBudget()): Promise<T> {
    return withRetries((atMost) => attempt({ budget, atMost }), { ...this.#retry, budget });
  }

  /** Signs each attempt again, since a signature expires. */
  async #ask<T>(target: string, decode: Decoder<T>, limits: Limits, attempt?: Attempt): Promise<T> {
    attempt?.signal.throwIfAborted();
    const { auth } = this.#options;
    const timestamp = Date.now();
    const headers = authHeaders(auth, this.#options, { timestamp, method: "GET", route: target });
    const condition = this.#answers?.condition(target);
    const response = await this.#send(target, { ...headers, ...condition }, limits, attempt?.signal);
    const decoded = () => interpret(response, decode, auth === "hmac" ? timestamp : undefined);
    const answer = () => this.#answers?.answer(target, response, decoded) ?? decoded();
    return attempt ? attempt.take(response, answer) : answer();
  }

  async #send(
    target: string,
    headers: Record<string, string>,
    { budget, atMost }: Limits,
    signal?: AbortSignal,
  ): Promise<HttpResponse> {
    const { ticks } = this.#retry;
    const startedAt = ticks();
    const left = secondsLeft(budget, this.#maxTotal, startedAt);
    const response = await this.#transport
      .get(target, { ...headers, accept: "application/json" }, { atMost: Math.min(left, atMost), signal })
      .catch((error: unknown) => {
        if (left < this.#options.timeout) secondsLeft(budget, this.#maxTotal, ticks());
        throw error;
      });
    const { status, headers: received, body } = response;
    const milliseconds = Math.round(ticks() - startedAt);
    this.#options.onResponse?.({ target, status, headers: received, milliseconds });
    countAnswer(budget, body);
    return response;
  }

  #sleep = async (seconds: number): Promise<void> => {
    // Loaded on demand: few clients ever wait.
    const { setTimeout: delay } = await import("node:timers/promises");
    await delay(seconds * 1_000, undefined, { signal: this.#closed.signal }).catch(() => {});
  };
}

/** An empty one counts as missing. */
function proxyOf({ proxy }: ClientOptions): HttpProxy | undefined {
  return proxy ? parseProxy(proxy) : undefined;
}

/** Pages of 1,000 items for two lists of 100,000. */
const MAX_ANSWERS = 200;

/** The last answers with their ETags: while the data is unchanged, reading it again costs a 304 and no decoding. */
export class AnswerCache {
  /** The oldest first. */
  readonly #answers = new Map<string, { etag: string; decoded: unknown }>();

  condition(target: string): Record<string, string> {
    const known = this.#answers.get(target);
    return known ? { "if-none-match": known.etag } : {};
  }

  /** The kept answer for a 304, otherwise what `decode` returns. */
  answer<T>(target: string, { status, headers }: HttpResponse, decode: () => T): T {
    const known = this.#answers.get(target);
    if (status === 304 && known) return known.decoded as T;
    this.#answers.delete(target);
    const decoded = decode();
    if (headers.etag) this.#keep(target, { etag: headers.etag, decoded });
    return decoded;
  }

  #keep(target: string, answer: { etag: string; decoded: unknown }): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(target, answer);
  }
}
