/** A connection to a store that may fail, never answer, or answer nonsense. */
export interface StoreConnection {
  /** Resolves once questions can be asked. */
  readonly ready: Promise<unknown>;
  /** Closes the connection at once, and rejects open commands. */
  close(): void;
}

/** The problem of a store, in words that contain nothing that it has sent. */
export interface StoreProblem {
  /** A predicate; logged again if it changes: `can't be reached`. */
  readonly what: string;
  /** `ECONNREFUSED`. */
  readonly detail?: string | undefined;
}

export interface CircuitBreakerOptions<Connection extends StoreConnection> {
  /** @param onLost called when a connection ends that was not closed */
  connect(onLost: (error: unknown) => void): Connection;
  /** Rejects unless the store has all commands that are used. */
  check(connection: Connection): Promise<unknown>;
  explain(error: unknown): StoreProblem;
  /**
   * Called when the store has failed, for another reason than before, and when it is used (again).
   */
  onChange(problem: StoreProblem | undefined): void;
}

/**
 * How late the first answers may be when a store stops answering. The server adds some time of its
 * own.
 */
const MAX_ANSWER_MS = 200;
const MAX_CONNECT_MS = 1_000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/**
 * How often a store that works is checked: a hung one is found before a request has to wait for it.
 */
const CHECK_MS = 5_000;

/** The store has not answered in time. */
export class NoAnswerError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Asks a store only while it answers. At the first failure the connection is closed, and the store
 * is not asked again until a check in the background has succeeded, on a new connection: an old one
 * may be cut off, or lead to a replica.
 */
export class CircuitBreaker<Connection extends StoreConnection> {
  /** Resolves once the store has answered for the first time, or has failed. */
  readonly started: Promise<void>;
  readonly #options: CircuitBreakerOptions<Connection>;
  #connection: Connection | undefined;
  #isUp = false;
  /** The last report: undefined at the start, "" for a store that works. */
  #reported: string | undefined;
  #pause = MIN_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CircuitBreakerOptions<Connection>) {
    this.#options = options;
    this.started = this.#check();
  }

  /** Whether the store is asked. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves to the answer, or to undefined if there is none. */
  async ask<T>(question: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    const connection = this.#connection;
    if (!connection || !this.#isUp) return undefined;
    try {
      return await within(MAX_ANSWER_MS, question(connection));
    } catch (error) {
      this.#lose(connection, error);
      return undefined;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#isUp = false;
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #check(): Promise<void> {
    const connection = this.#connection ?? this.#connect();
    try {
      await within(MAX_CONNECT_MS, connection.ready);
      await within(MAX_ANSWER_MS, this.#options.check(connection));
    } catch (error) {
      return this.#lose(connection, error);
    }
    // Lost or closed in the meantime.
    if (connection !== this.#connection) return;
    // Not at the first success: a store may fail again at unchecked commands.
    if (this.#isUp) this.#pause = MIN_PAUSE_MS;
    this.#isUp = true;
    this.#report(undefined);
    this.#checkIn(CHECK_MS);
  }

  #connect(): Connection {
    const connection = this.#options.connect((error) => this.#lose(connection, error));
    this.#connection = connection;
    return connection;
  }

  #lose(connection: Connection, error: unknown): void {
    // Others that have waited for it fail too.
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.#isUp = false;
    connection.close();
    this.#report(this.#options.explain(error));
    this.#checkIn(this.#pause);
    this.#pause = Math.min(2 * this.#pause, MAX_PAUSE_MS);
  }

  #report(problem: StoreProblem | undefined): void {
    const { what } = problem ?? { what: "" };
    if (what === this.#reported) return;
    this.#reported = what;
    this.#options.onChange(problem);
  }

  #checkIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), ms).unref();
  }
}

/** @throws NoAnswerError */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // It may have arrived while this process was busy: received answers are handled first.
    const timer = setTimeout(() => setImmediate(() => reject(new NoAnswerError(ms))), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
