import type { SealedCache } from "../kit/files/sealed-cache.js";
import {
  NotFoundError,
  ServerError,
  UnauthorizedError,
  UnreachableError,
} from "../kit/text/errors.js";
import { WrongClockError } from "../model/errors.js";
import type { Health } from "../model/reads/health.js";
import {
  type Answer,
  pickValues,
  type Read,
  type Snapshot,
  type ValuesByName,
  VariableReader,
  type VariableSource,
} from "../model/reads/read.js";
import { TRANSIENT_STATUSES } from "./retry.js";

export type FreshSource = Pick<VariableSource, "readSnapshot" | "getHealth" | "close">;

interface CachedSourceOptions {
  /** The source for reads without a fallback. */
  retrying: FreshSource;
  /** The same source without retries, for reads with a fallback. */
  singleTry: FreshSource;
  file: Pick<SealedCache, "read" | "write" | "remove">;
  /** The maximum age of answers, in seconds. */
  maxAge: number;
  /** Unix time in milliseconds. */
  clock: () => number;
  /**
   * Called once per outage, with the reason and the age of the cached answers
   * in milliseconds.
   */
  onServed: (reason: Error, age: number) => void;
  /** Called once when answers can't be cached or removed. */
  onFailure: (error: unknown) => void;
}

interface CachedAnswers {
  readonly revision: Snapshot["revision"];
  /**
   * When this version was last known to be the newest, in Unix milliseconds.
   */
  readonly savedAt: number;
  /** The answers by `keyOf(read)`. */
  readonly answers: ReadonlyMap<string, unknown>;
}

const keyOf = (read: Read) => JSON.stringify(read);

/**
 * A source that caches the last answers of one version of the data, and uses
 * them while the server can't be reached and they are not too old. Answers of
 * another version replace them. A name that is no longer found is removed from
 * the cache; refused credentials empty it.
 */
export class CachedSource extends VariableReader implements VariableSource {
  readonly #options: CachedSourceOptions;
  /**
   * Settles with the last write. Writes wait for each other, since each one
   * merges into the file.
   */
  #written = Promise.resolve();
  #hasServed = false;
  #hasFailed = false;

  constructor(options: CachedSourceOptions) {
    super();
    this.#options = options;
  }

  async readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const { retrying, singleTry, maxAge, clock, onServed } = this.#options;
    const cached = await this.#load();
    const age = clock() - (cached?.savedAt ?? 0);
    // Answers from the future were saved under a wrong clock, so their age is
    // unknown.
    const fallback =
      cached && age >= 0 && age <= maxAge * 1_000 ? await replay(cached, read) : undefined;
    try {
      return await this.#readFresh(read, fallback ? singleTry : retrying);
    } catch (error) {
      if (!fallback || !isOutage(error)) throw error;
      if (!this.#hasServed) onServed(error, age);
      this.#hasServed = true;
      return fallback();
    }
  }

  /** Asks the server: health is never cached. */
  getHealth(): Promise<Health> {
    return this.#options.retrying.getHealth();
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.retrying.close(), this.#options.singleTry.close()]);
  }

  answer<R extends Read>(read: R): Promise<Answer<R>> {
    return this.readSnapshot((snapshot) => snapshot.answer(read));
  }

  async #load(): Promise<CachedAnswers | undefined> {
    const data = await this.#options.file.read();
    // The file is authenticated, so `#save` has written this.
    const cached = data && JSON.parse(data.bytes.toString("utf8"));
    return cached && { ...cached, answers: new Map(cached.answers) };
  }

  async #readFresh<T>(read: (snapshot: Snapshot) => Promise<T>, source: FreshSource): Promise<T> {
    let fresh: FreshAnswers | undefined;
    try {
      const result = await source.readSnapshot((snapshot) => {
        fresh = new FreshAnswers(snapshot);
        return read(fresh);
      });
      this.#hasServed = false;
      await this.#save(fresh);
      return result;
    } catch (error) {
      // After any other error, the answers are incomplete.
      if (error instanceof NotFoundError) await this.#save(fresh);
      if (error instanceof UnauthorizedError && !isOutage(error)) await this.#save(undefined);
      throw error;
    }
  }

  /**
   * Adds the answers to the same version, or removes all. A cache that can't be
   * written fails no read.
   */
  async #save(fresh: FreshAnswers | undefined): Promise<void> {
    const { file, clock, onFailure } = this.#options;
    const write = async () => {
      const cached = fresh?.mergeInto(await this.#load(), clock());
      if (!cached) return file.remove();
      const json = JSON.stringify({ ...cached, answers: [...cached.answers] });
      return file.write(Buffer.from(json), cached.savedAt);
    };
    this.#written = this.#written.then(write).catch((error: unknown) => {
      if (!this.#hasFailed) onFailure(error);
      this.#hasFailed = true;
    });
    await this.#written;
  }
}

/** Whether the server can't be reached, or one of the clocks is wrong. */
function isOutage(error: unknown): error is Error {
  if (error instanceof ServerError) return TRANSIENT_STATUSES.includes(error.status);
  return error instanceof UnreachableError || error instanceof WrongClockError;
}

/**
 * Resolves to a function that returns the outcome; to `undefined` if an answer
 * is missing.
 */
async function replay<T>(
  { revision, answers }: CachedAnswers,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<(() => Promise<T>) | undefined> {
  const snapshot = new Replay(revision, answers);
  const reading = read(snapshot);
  await reading.catch(() => {});
  return snapshot.isIncomplete ? undefined : () => reading;
}

/**
 * Reads the values of all names, so that the cache serves commands for other
 * names.
 */
abstract class AllValuesReader extends VariableReader {
  override async values(names?: readonly string[]): Promise<ValuesByName> {
    return pickValues(await super.values(), names);
  }
}

class Replay extends AllValuesReader implements Snapshot {
  isIncomplete = false;

  constructor(
    readonly revision: string | undefined,
    readonly answers: CachedAnswers["answers"],
  ) {
    super();
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    const key = keyOf(read);
    if (this.answers.has(key)) return this.answers.get(key) as Answer<R>;
    this.isIncomplete = true;
    throw new Error("not cached");
  }
}

/** Remembers the answers of a snapshot; `undefined` stands for "not found". */
class FreshAnswers extends AllValuesReader implements Snapshot {
  readonly #snapshot: Snapshot;
  readonly #answers = new Map<string, unknown>();

  constructor(snapshot: Snapshot) {
    super();
    this.#snapshot = snapshot;
  }

  get revision(): string | undefined {
    return this.#snapshot.revision;
  }

  mergeInto(cached: CachedAnswers | undefined, savedAt: number): CachedAnswers | undefined {
    const { revision } = this;
    const fresh = [...this.#answers].filter(([, answer]) => answer !== undefined);
    const others = [...(cached?.answers ?? [])].filter(([key]) => !this.#answers.has(key));
    if (fresh.length === 0) return cached && { ...cached, answers: new Map(others) };
    const isSame = revision !== undefined && revision === cached?.revision;
    return { revision, savedAt, answers: new Map([...(isSame ? others : []), ...fresh]) };
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    try {
      const answer = await this.#snapshot.answer(read);
      this.#answers.set(keyOf(read), answer);
      return answer;
    } catch (error) {
      if (error instanceof NotFoundError) this.#answers.set(keyOf(read), undefined);
      throw error;
    }
  }
}
