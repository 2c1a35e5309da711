import type { IncomingHttpHeaders } from "node:http";
import { ChangedDataError, NotFoundError, ServerError, UnreachableError } from "../domain/errors.js";
import { REVISION_HEADER } from "../domain/http-headers.js";
import type { Snapshot } from "../domain/source.js";
import { hasEnded } from "./budget.js";
import type { Decoder } from "./decode.js";
import { RemoteReader } from "./remote-reader.js";
import { pause, type RetryOptions } from "./retry.js";
import type { HttpResponse } from "./transport.js";

/** Much shorter than after a failure: data that has just changed is unlikely to change again soon. */
const FIRST_PAUSE_S = 0.02;
const MAX_PAUSE_S = 1;

const CHANGED = "the data changed while it was being read";

/**
 * Reads again, after a pause with jitter, until all answers are of one revision of the data.
 *
 * @throws ServerError if `maxWait` or the budget do not allow another attempt; what `read` throws
 */
export async function readUnchanged<T>(
  read: (snapshot: Snapshot) => Promise<T>,
  newAttempt: () => Attempt,
  options: RetryOptions,
): Promise<T> {
  const { budget, ticks, random } = options;
  for (let attempts = 1; ; attempts++) {
    const attempt = newAttempt();
    const outcome = await read(attempt).then(
      (result) => ({ result, change: attempt.change() }),
      (error: unknown) => ({ error, change: attempt.change(error) }),
    );
    attempt.end();
    const { change } = outcome;
    if (change) {
      budget.length -= attempt.length;
      const wait = Math.min(FIRST_PAUSE_S * 2 ** (attempts - 1), MAX_PAUSE_S) * (0.5 + random() / 2);
      if (!(await pause({ wait, reason: CHANGED }, options))) throw gaveUp(attempts, change);
    } else if ("result" in outcome) return outcome.result;
    else if (attempts > 1 && outcome.error instanceof UnreachableError && hasEnded(budget, ticks()))
      // Without the changes there would have been enough time.
      throw gaveUp(attempts - 1, outcome.error);
    else throw outcome.error;
  }
}

function gaveUp(attempts: number, { message }: Error): ChangedDataError {
  const what = attempts === 1 ? CHANGED : `the data changed during each of ${attempts} attempts to read it`;
  return new ChangedDataError(`${what}${message === CHANGED ? "" : ` (${message})`}; try again later`);
}

type Send = <T>(target: string, decode: Decoder<T>, attempt: Attempt) => Promise<T>;

/** One attempt to read several answers of one revision. It ends with the first answer of another revision. */
export class Attempt extends RemoteReader implements Snapshot {
  /** Length of all answers so far, in characters. */
  length = 0;
  readonly #send: Send;
  readonly #aborter = new AbortController();
  #revision: string | undefined;
  /** During an upgrade, some of the servers behind one address may not send revisions yet. */
  #isNamedByAll = true;
  #change: ChangedDataError | undefined;

  constructor(send: Send) {
    super();
    this.#send = send;
  }

  get revision(): string | undefined {
    return this.#isNamedByAll ? this.#revision : undefined;
  }

  /** Aborted when the attempt ends. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /**
   * The change that requires another attempt, if there was one.
   *
   * @param error of the attempt. With a revision, inconsistent data is not a change but the server's fault
   */
  change(error?: unknown): ChangedDataError | undefined {
    if (this.#change) return this.#change;
    return error instanceof ChangedDataError && this.revision === undefined ? error : undefined;
  }

  end(): void {
    this.#aborter.abort(new TypeError("a snapshot can't be read after readSnapshot has settled"));
  }

  /** Interprets a response. @throws ChangedDataError if it is of another revision than those before */
  take<T>({ status, headers, body }: HttpResponse, interpret: () => T): T {
    this.length += body.length;
    try {
      const answer = interpret();
      this.#compare(revisionOf(status, headers));
      return answer;
    } catch (error) {
      // "Not found" is a statement about one revision too.
      if (error instanceof NotFoundError) this.#compare(revisionOf(status, headers));
      throw error;
    }
  }

  protected async get<T>(target: string, decode: Decoder<T>): Promise<T> {
    this.signal.throwIfAborted();
    try {
      return await this.#send(target, decode, this);
    } catch (error) {
      // The reason for the abort is more useful than its error.
      this.signal.throwIfAborted();
      throw error;
    }
  }

  #compare(revision: string | undefined): void {
    if (revision === undefined) this.#isNamedByAll = false;
    else this.#revision ??= revision;
    if ((revision ?? this.#revision) === this.#revision) return;
    this.#change ??= new ChangedDataError(CHANGED);
    this.#aborter.abort(this.#change);
    throw this.#change;
  }
}

/** Visible ASCII: a header that was sent twice contains a space. */
const REVISION = /^[!-~]{1,64}$/;

/** @throws ServerError, which does not quote it, for an invalid revision */
function revisionOf(status: number, headers: IncomingHttpHeaders): string | undefined {
  const revision = headers[REVISION_HEADER.toLowerCase()];
  if (revision === undefined || (typeof revision === "string" && REVISION.test(revision))) return revision;
  throw new ServerError(`the server sends an ${REVISION_HEADER} that is not 1 to 64 visible ASCII characters`, status);
}
