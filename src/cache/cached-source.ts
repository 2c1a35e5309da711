import {
  ChangedDataError,
  NotFoundError,
  ServerError,
  TRANSIENT_STATUSES,
  UnauthorizedError,
  UnreachableError,
  WrongClockError,
} from "../domain/errors.js";
import { type Answer, type Read, VariableReader } from "../domain/read.js";
import type { Health, Snapshot, VariableSource } from "../domain/source.js";

/** The maximum age in seconds for which answers are kept, 30 days. Older ones are removed. */
export const MAX_KEPT_S = 30 * 86_400;
/** For this long after a failure to reach the server, kept answers are used without another try. */
const PAUSE_MS = 5_000;

/** A server's answer, and when it came. */
export interface KeptAnswer {
  answer: unknown;
  /** Unix time in milliseconds, the same for all answers of one read. */
  savedAt: number;
  /** The version of the data; undefined from a server that does not send it. */
  revision?: string | undefined;
}

/** Where the last answer to each request is kept. All but `read` throw the file system's error. */
export interface AnswerStore {
  /** Undefined when there is none, or it was tampered with. */
  read(request: Read): Promise<KeptAnswer | undefined>;
  write(request: Read, kept: KeptAnswer): Promise<void>;
  remove(request: Read): Promise<void>;
  clear(): Promise<void>;
}

/** What is asked for fresh answers. */
type FreshSource = Pick<VariableSource, "readSnapshot" | "getHealth" | "close">;

export interface CachedSourceOptions {
  /** Used when there is no fallback; may retry for a long time. */
  retrying: FreshSource;
  /** The same source, used when there is a fallback; tries once. */
  singleTry: FreshSource;
  answers: AnswerStore;
  /** Seconds. */
  maxAge: number;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Milliseconds on a monotonic clock. */
  ticks: () => number;
  /** Called when kept answers were used, once for concurrent reads, with the reason and the age of the oldest answer in ms. */
  onServed: (reason: Error, age: number) => void;
  /** Called once when answers can't be kept or removed. */
  onFailure: (error: unknown) => void;
}

interface Fallback<T> {
  settle: () => Promise<T>;
  /** When the oldest answer came, in Unix milliseconds. */
  oldest: number;
}

/**
 * A source that keeps the last answer to each request, and uses it when the server can't be reached and the answer is
 * not too old. A read gets either fresh answers or kept ones of one version, never both. A name that is no longer found
 * is removed, and everything when the credentials are refused.
 */
export class CachedSource extends VariableReader implements VariableSource {
  readonly #options: CachedSourceOptions;
  #reading = 0;
  #served: { reason: Error; oldest: number } | undefined;
  #notified = false;
  #failed = false;
  #outage: { reason: Error; until: number } | undefined;

  constructor(options: CachedSourceOptions) {
    super();
    this.#options = options;
  }

  async readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#reading++;
    try {
      return await this.#read(read);
    } finally {
      if (--this.#reading === 0) this.#notifyOfServed();
    }
  }

  /** Never kept. */
  getHealth(): Promise<Health> {
    return this.#options.retrying.getHealth();
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.retrying.close(), this.#options.singleTry.close()]);
  }

  answer<R extends Read>(read: R): Promise<Answer<R>> {
    return this.readSnapshot((snapshot) => snapshot.answer(read));
  }

  async #read<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const { retrying, singleTry, ticks } = this.#options;
    const fallback = await this.#readKept(read);
    if (fallback instanceof Error)
      return await this.#readFresh(read, retrying).catch((error: unknown) => {
        throw isOutage(error) ? Object.assign(error, { message: `${error.message}; ${fallback.message}` }) : error;
      });
    if (!fallback) return this.#readFresh(read, retrying);
    const outage = this.#outage;
    if (outage && ticks() < outage.until) return this.#serve(fallback, outage.reason);
    return await this.#readFresh(read, singleTry).catch((error: unknown) => {
      if (!isOutage(error)) throw error;
      this.#outage = { reason: error, until: ticks() + PAUSE_MS };
      return this.#serve(fallback, error);
    });
  }

  /** Undefined when answers are missing or too old, an Error when they are of different versions. */
  async #readKept<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<Fallback<T> | Error | undefined> {
    const { answers, clock, maxAge } = this.#options;
    const kept = new KeptAnswers(answers, clock(), maxAge * 1_000);
    const [outcome] = await Promise.allSettled([read(kept)]);
    const { oldest, isIncomplete, isMixed } = kept;
    if (isIncomplete || oldest === undefined) return undefined;
    const error = outcome.status === "rejected" ? outcome.reason : undefined;
    if (isMixed || error instanceof ChangedDataError)
      return new Error("the answers kept by --cache are of different versions of the data, and are not used together");
    return { oldest, settle: async () => (outcome.status === "rejected" ? Promise.reject(error) : outcome.value) };
  }

  async #readFresh<T>(read: (snapshot: Snapshot) => Promise<T>, source: FreshSource): Promise<T> {
    const { answers, clock } = this.#options;
    let fresh: FreshAnswers | undefined;
    const keep = async () => fresh?.keep(answers, clock());
    try {
      const result = await source.readSnapshot((snapshot) => {
        fresh = new FreshAnswers(snapshot);
        return read(fresh);
      });
      this.#notified = false;
      await this.#trying(keep());
      return result;
    } catch (error) {
      // After any other failure the answers are incomplete, and would not match those already kept.
      if (error instanceof NotFoundError) await this.#trying(keep());
      if (error instanceof UnauthorizedError && !isOutage(error)) await this.#trying(answers.clear());
      throw error;
    }
  }

  #serve<T>({ settle, oldest }: Fallback<T>, reason: Error): Promise<T> {
    this.#served = { reason, oldest: Math.min(oldest, this.#served?.oldest ?? oldest) };
    return settle();
  }

  #notifyOfServed(): void {
    const served = this.#served;
    this.#served = undefined;
    if (!served || this.#notified) return;
    this.#notified = true;
    this.#options.onServed(served.reason, this.#options.clock() - served.oldest);
  }

  /** A cache that can't be written must not fail a read. */
  async #trying(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!this.#failed) this.#options.onFailure(error);
      this.#failed = true;
    });
  }
}

/** Whether the server can't be reached, directly or from the proxy in front of it, or its clock or this one is wrong. */
function isOutage(error: unknown): error is Error {
  if (error instanceof ServerError) return TRANSIENT_STATUSES.includes(error.status);
  return error instanceof UnreachableError || error instanceof WrongClockError;
}

class FreshAnswers extends VariableReader implements Snapshot {
  readonly #snapshot: Snapshot;
  readonly #found: [Read, unknown][] = [];
  readonly #absent: Read[] = [];

  constructor(snapshot: Snapshot) {
    super();
    this.#snapshot = snapshot;
  }

  get revision(): string | undefined {
    return this.#snapshot.revision;
  }

  /** @throws the file system's error */
  async keep(answers: AnswerStore, savedAt: number): Promise<void> {
    const { revision } = this;
    for (const request of this.#absent) await answers.remove(request);
    for (const [request, answer] of this.#found) await answers.write(request, { answer, savedAt, revision });
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    try {
      const answer = await this.#snapshot.answer(read);
      this.#found.push([read, answer]);
      return answer;
    } catch (error) {
      if (error instanceof NotFoundError) this.#absent.push(read);
      throw error;
    }
  }
}

/** Reads kept answers. Before using what was read, check that they were complete and of one version. */
class KeptAnswers extends VariableReader implements Snapshot {
  readonly #answers: AnswerStore;
  readonly #now: number;
  readonly #maxAge: number;
  readonly #used: KeptAnswer[] = [];
  /** Whether an answer was missing or too old. */
  isIncomplete = false;

  /** @param now Unix time in milliseconds @param maxAge milliseconds */
  constructor(answers: AnswerStore, now: number, maxAge: number) {
    super();
    this.#answers = answers;
    this.#now = now;
    this.#maxAge = maxAge;
  }

  get revision(): string | undefined {
    return this.#used[0]?.revision;
  }

  /** Without revisions, only answers of one read are sure to be of one version. */
  get isMixed(): boolean {
    return new Set(this.#used.map(({ revision, savedAt }) => revision ?? savedAt)).size > 1;
  }

  /** When the oldest answer came, in Unix milliseconds. */
  get oldest(): number | undefined {
    return this.#used.length > 0 ? Math.min(...this.#used.map(({ savedAt }) => savedAt)) : undefined;
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    const kept = await this.#answers.read(read);
    const age = this.#now - (kept?.savedAt ?? 0);
    // An answer from the future was saved under a wrong clock: its age is unknown.
    if (!kept || age < 0 || age > this.#maxAge) {
      this.isIncomplete = true;
      throw new Error("not kept");
    }
    this.#used.push(kept);
    return kept.answer as Answer<R>;
  }
}
