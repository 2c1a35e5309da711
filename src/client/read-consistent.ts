import { InconsistentAnswersError } from "../model/errors.js";
import { REVISION_HEADER } from "../model/reads/http-headers.js";
import { type Answer, type Read, type Snapshot, VariableReader } from "../model/reads/read.js";
import { backoff, pause, type RetryOptions } from "./retry.js";
import type { HttpResponse } from "./transport.js";

/**
 * Much shorter than the pause after a failure: data that has just changed is
 * unlikely to change again soon.
 */
const FIRST_PAUSE_S = 0.02;
const MAX_PAUSE_S = 1;

const CHANGED = "the data changed while it was being read";

export type SendRead = <R extends Read>(read: R, attempt: SnapshotAttempt) => Promise<Answer<R>>;

/**
 * Reads until all answers are of one revision of the data.
 *
 * @throws ServerError if `maxWait` or the budget allows no further attempt; the
 *   errors of `read`
 */
export async function readConsistent<T>(
  read: (snapshot: Snapshot) => Promise<T>,
  ask: SendRead,
  options: RetryOptions,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const attempt = new SnapshotAttempt(ask);
    try {
      const result = await read(attempt);
      if (!attempt.change) return result;
    } catch (error) {
      // With a revision, inconsistent data is an error of the server, not a
      // change.
      if (error instanceof InconsistentAnswersError && attempt.revision === undefined)
        attempt.change ??= error;
      if (!attempt.change) throw error;
    } finally {
      attempt.end();
    }
    const wait = backoff([FIRST_PAUSE_S, MAX_PAUSE_S], attempts - 1, options.random);
    if (!(await pause({ wait, reason: CHANGED }, options)))
      throw new InconsistentAnswersError(
        `${attempt.change.message} (attempts: ${attempts}); try again later`,
      );
  }
}

/**
 * An attempt to read answers of one revision. It ends with the first answer of
 * another revision.
 */
export class SnapshotAttempt extends VariableReader implements Snapshot {
  change: InconsistentAnswersError | undefined;
  readonly #ask: SendRead;
  readonly #aborter = new AbortController();
  /** The answers by read. Within a revision, they stay the same. */
  readonly #answers = new Map<string, Promise<unknown>>();
  /**
   * The revisions of all answers, including `undefined`: during an upgrade,
   * some servers behind an address may not send revisions yet.
   */
  readonly #revisions = new Set<string | undefined>();
  /** Aborted when the attempt ends. */
  readonly signal: AbortSignal = this.#aborter.signal;

  constructor(ask: SendRead) {
    super();
    this.#ask = ask;
  }

  get revision(): string | undefined {
    return this.#revisions.has(undefined) ? undefined : this.#revisions.values().next().value;
  }

  end(): void {
    this.#aborter.abort(new TypeError("a snapshot can't be read after readSnapshot has settled"));
  }

  /**
   * @throws InconsistentAnswersError if the answer has another revision than
   *   the answers before
   */
  check(response: HttpResponse): void {
    if (![200, 304, 404].includes(response.status)) return;
    this.#revisions.add(response.headers[REVISION_HEADER.toLowerCase()] as string | undefined);
    if (this.#revisions.size - Number(this.#revisions.has(undefined)) <= 1) return;
    this.change ??= new InconsistentAnswersError(CHANGED);
    this.#aborter.abort(this.change);
    throw this.change;
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    this.signal.throwIfAborted();
    const key = JSON.stringify(read);
    const answer =
      (this.#answers.get(key) as Promise<Answer<R>> | undefined) ?? this.#ask(read, this);
    this.#answers.set(key, answer);
    return answer;
  }
}
