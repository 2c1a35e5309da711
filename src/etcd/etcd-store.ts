import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError, ServerError, UnreachableError } from "../domain/errors.js";
import { durationText } from "../domain/printable.js";
import { checkData } from "../store/check-data.js";
import { type Data, withLastIds } from "../store/data.js";
import { MAX_DATA_SIZE } from "../store/data-limits.js";
import type { Reload, Reloadable, Store } from "../store/store.js";
import { type Change, CompactedError, type Entry, type RangeAnswer } from "./answers.js";
import { type CommitTarget, commitChanges, endOf, findWrite, finishPending } from "./commit.js";
import { type Gateway, UncertainError } from "./gateway.js";
import { type Head, newHead, newWriteId, type Pending, parseHead } from "./head.js";
import { HEAD_KEY, type RecordChanges, recordChanges, StoreRecords } from "./records.js";
import { TIMES, type Times } from "./times.js";

/** Records in the first answer. From their size follows how many the next one may have. */
const FIRST_PAGE = 1_000;
/** Records in one answer. For each, etcd visits all that are left: smaller ones take much longer in all. */
const MAX_PAGE = 10_000;
/** About the size of one answer. etcd has several copies of it in memory. */
const PAGE_BYTES = 8_000_000;
/** Between two watches. */
const MAX_PAUSE_MS = 1_000;

/** The last data of a store, as it was kept on disk. */
export interface KeptData<T> {
  readonly data: T;
  /** Milliseconds since it was last known to be the newest. */
  readonly age: number;
}

export interface EtcdStoreOptions<T> {
  target: CommitTarget;
  /** For messages. */
  url: string;
  nothing: T;
  /** Parses the bytes of a data file. @throws InvalidDataError */
  parse: (bytes: Buffer, signal: AbortSignal) => Promise<T>;
  /** Whether to follow the changes of other writers. */
  watch?: boolean | undefined;
  /** What to begin with while no member answers. */
  readKept?: (signal: AbortSignal) => Promise<KeptData<T> | undefined>;
  /** Called with the bytes of new data, a copy. */
  onData?: (bytes: Buffer) => void;
  /** Called when the data was found to be the newest. */
  onConfirmed?: () => void;
  /** Called when the store is closed. */
  onClosed?: () => Promise<void>;
  ticks?: () => number;
  times?: Partial<Times> | undefined;
}

/**
 * Makes the next data from the records and the snapshot, which are of one version; undefined if there is nothing to write.
 * Called again when another writer was faster.
 */
type Plan = () => { next: Data; changes: RecordChanges } | undefined;

interface Write {
  readonly id: string;
  /** In {@link EtcdStoreOptions.ticks}. */
  readonly endsAt: number;
  /** The head that an attempt expected whose outcome is unknown: it may be carried out until the head is another. */
  uncertainSince: number | undefined;
}

/**
 * A store in etcd, with one key for each record. Everything is read at one revision; from there, a watch delivers the
 * changes. It is only a hint, since a member may hang or be cut off: every few seconds the newest head, from a majority of
 * the members, tells whether something is missing. Then everything is read again.
 *
 * @typeParam T the form in which the data is held
 */
export class EtcdStore<T> implements Store<T>, Reloadable {
  readonly #options: EtcdStoreOptions<T>;
  readonly #gateway: Gateway;
  readonly #times: Times;
  readonly #ticks: () => number;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #reloadListeners = new Set<(reload: Reload) => void>();
  #records: StoreRecords;
  /** Whether the records can't be used until they are read again. */
  #isBroken = true;
  #brokenBy: Error | undefined;
  #clusterId: string | undefined;
  /** All changes up to this revision are in the records. */
  #revision = 0;
  /** Counts what becomes of the records. */
  #version = 0;
  #snapshot: T;
  /** The version and the head that the snapshot has. */
  #shownVersion = 0;
  #shownHead = -1;
  #problem: string | undefined;
  #isOutage = false;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #publishing: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #updating: Promise<unknown> = Promise.resolve();
  #watch: { readonly abort: AbortController; readonly endpoint: string; readonly startedAt: number } | undefined;
  #following: Promise<unknown> | undefined;

  constructor(options: EtcdStoreOptions<T>) {
    this.#options = options;
    this.#gateway = options.target.gateway;
    this.#times = { ...TIMES, ...options.times };
    this.#ticks = options.ticks ?? (() => performance.now());
    this.#snapshot = options.nothing;
    this.#records = this.#newRecords();
  }

  get snapshot(): T {
    return this.#snapshot;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get age(): number {
    // A clock may have gone back since data was kept.
    return Math.max(0, this.#ticks() - this.#confirmedAt);
  }

  /** Records that are not sealed as they would be now. */
  get stale(): RecordChanges {
    return this.#records.stale;
  }

  /** @throws InvalidDataError; UnreachableError, unless there is kept data; UnauthorizedError, ServerError */
  async open(): Promise<this> {
    try {
      await this.#load();
      if (this.#records.isEmpty) throw this.#emptyError();
    } catch (error) {
      if (!(await this.#openKept(error))) {
        await this.close();
        throw error;
      }
    }
    if (this.#options.watch) this.#following = Promise.all([this.#watchAll(), this.#pollAll()]);
    return this;
  }

  /** Writes the first data of a store. @throws InvalidDataError if it holds something; as `update` */
  async create(this: EtcdStore<Data>, data: Data): Promise<void> {
    await this.#load();
    if (!this.#records.isEmpty) throw new InvalidDataError(`${this.#options.url} holds data already`);
    const changed = checkData(data);
    await this.#write(() => {
      if (!this.#records.isEmpty) throw new InvalidDataError(`${this.#options.url} holds data already`);
      return { next: changed, changes: recordChanges(this.#records, this.#options.nothing, changed, changed) };
    });
  }

  /** As in EditableStore. */
  async update(this: EtcdStore<Data>, change: (data: Data) => Data): Promise<void> {
    await this.#write(() => {
      if (this.#records.isEmpty) throw this.#emptyError();
      const before = this.#snapshot;
      const changed = change(before);
      if (changed === before) return undefined;
      const next = checkData(withLastIds(before, changed));
      return { next, changes: recordChanges(this.#records, before, changed, next) };
    });
  }

  /** Seals all records with the first key. @returns the number of those that were not */
  async sealAgain(this: EtcdStore<Data>): Promise<number> {
    let count = 0;
    await this.#write(() => {
      if (this.#records.isEmpty) throw this.#emptyError();
      const changes = this.#records.stale;
      count = changes.size;
      return count === 0 ? undefined : { next: this.#snapshot, changes };
    });
    return count;
  }

  readAgain(): void {
    void this.#reload().finally(() => this.#notify());
  }

  onReload(listener: (reload: Reload) => void): void {
    this.#reloadListeners.add(listener);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#watch?.abort.abort();
    this.#listeners.clear();
    this.#reloadListeners.clear();
    this.#gateway.close();
    await this.#following;
    await this.#options.onClosed?.();
  }

  #newRecords(): StoreRecords {
    const { prefix, sealing } = this.#options.target;
    return new StoreRecords(prefix, sealing);
  }

  #emptyError(): InvalidDataError {
    const { url } = this.#options;
    return new InvalidDataError(
      `${url} holds no data: to create some, run appvars init --store ${url}, or appvars migrate FILE ${url}`,
    );
  }

  // Reading

  /** Reads everything at one revision, and shows it. Calls share the work. */
  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    const startedAt = this.#ticks();
    const { records, revision, clusterId } = await this.#readAll().catch((error: unknown) => {
      // The history was compacted between two pages.
      if (error instanceof CompactedError) return this.#readAll();
      throw error;
    });
    // The watch, or an update in this process, may have been faster.
    const known = Math.max(this.#revision, this.#records.headRevision);
    if (!this.#isBroken && clusterId === this.#clusterId && revision < known) return this.#publish();
    [this.#records, this.#clusterId, this.#revision, this.#isBroken] = [records, clusterId, revision, false];
    this.#version++;
    this.#watch?.abort.abort();
    if (records.isEmpty) {
      this.#shownVersion = this.#version;
      return;
    }
    await this.#publish();
    if (this.#shownHead === records.headRevision) this.#confirm(startedAt);
  }

  /** Reads all records at one revision. */
  async #readAll(): Promise<{ records: StoreRecords; revision: number; clusterId: string }> {
    const { prefix } = this.#options.target;
    const end = endOf(prefix);
    const records = this.#newRecords();
    const heads: Entry[] = [];
    const isHead = ({ key }: Entry) => key === prefix + HEAD_KEY;
    const read = (key: string, limit: number, revision?: number) => {
      const within = this.#times.request;
      const reading = this.#gateway.range({ key, end, limit, revision, within }, this.#closed.signal);
      // Nobody waits for it if the page before it is invalid.
      reading.catch(() => {});
      return reading;
    };
    let next: Promise<RangeAnswer> | undefined = read(prefix, FIRST_PAGE);
    const { revision, clusterId } = await next;
    let size = 0;
    while (next) {
      const { entries, hasMore, ...page }: RangeAnswer = await next;
      if (page.clusterId !== clusterId) throw new ServerError("the members of the store are of several clusters", 200);
      const last = entries.at(-1);
      const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
      const limit = Math.min(MAX_PAGE, Math.ceil((entries.length * PAGE_BYTES) / Math.max(1, bytes)));
      // Asked for while this page is checked.
      next = hasMore && last ? read(`${last.key}\0`, limit, revision) : undefined;
      this.#inStore(() => {
        size += bytes;
        if (size > MAX_DATA_SIZE) throw new InvalidDataError("the data is too large");
        // The head comes last, since it may refer to others.
        heads.push(...entries.filter(isHead));
        records.apply(entries.filter((entry) => !isHead(entry)));
      });
    }
    this.#inStore(() => {
      records.apply(heads);
      if (!records.head && !records.isEmpty)
        throw new InvalidDataError(`${prefix}${HEAD_KEY} is missing, although there are records`);
    });
    return { records, revision, clusterId };
  }

  /** Adds the store to the errors of its records. */
  #inStore<R>(work: () => R): R {
    try {
      return work();
    } catch (error) {
      throw error instanceof InvalidDataError ? new InvalidDataError(`${this.#options.url}: ${error.message}`) : error;
    }
  }

  async #reload(): Promise<void> {
    try {
      await this.#load();
      if (this.#records.isEmpty) throw this.#emptyError();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Makes the snapshot from the records. Calls share the work. @throws InvalidDataError unless the store is followed */
  #publish(): Promise<void> {
    this.#publishing ??= Promise.resolve().then(() => this.#publishAll());
    return this.#publishing;
  }

  async #publishAll(): Promise<void> {
    try {
      // Records that are broken may have half of a change.
      while (this.#shownVersion !== this.#version && !this.#isBroken && !this.#closed.signal.aborted)
        await this.#publishVersion(this.#version);
    } finally {
      // In the step that found nothing left to do: a later call must not wait for what has ended.
      this.#publishing = undefined;
    }
  }

  async #publishVersion(version: number): Promise<void> {
    const [{ headRevision }, startedAt] = [this.#records, this.#ticks()];
    let data: T;
    try {
      const bytes = await this.#records.toBytes();
      const { onData } = this.#options;
      const copy = onData && Buffer.from(bytes);
      data = await this.#options.parse(bytes, this.#closed.signal);
      if (copy) onData(copy);
    } catch (error) {
      const isInvalid = error instanceof InvalidDataError;
      const failure = isInvalid ? new InvalidDataError(`${this.#options.url} ${error.message}`) : (error as Error);
      this.#isBroken = true;
      if (!this.#following) throw failure;
      this.#break(failure);
      return;
    }
    // An update in this process has newer data.
    if (this.#shownVersion > version) return;
    this.#show(data, version, headRevision);
    this.#tellReload({ isRead: true, milliseconds: this.#ticks() - startedAt });
  }

  #show(data: T, version: number, headRevision: number): void {
    this.#snapshot = data;
    this.#shownVersion = version;
    this.#shownHead = headRevision;
    this.#problem = undefined;
    this.#notify();
  }

  #confirm(at: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, at);
    this.#options.onConfirmed?.();
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#notify();
  }

  #fail(error: Error): void {
    if (this.#closed.signal.aborted) return;
    const isOutage = error instanceof UnreachableError;
    const isSameOutage = isOutage && this.#isOutage && this.#problem !== undefined;
    this.#isOutage = isOutage;
    const problem = `the store can't be read: ${error.message}; the last good data is served`;
    this.#tellReload({ isRead: false, milliseconds: 0 });
    // The reasons differ from one attempt to the next.
    if (problem === this.#problem || isSameOutage) return;
    this.#problem = problem;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #tellReload(reload: Reload): void {
    for (const listener of this.#reloadListeners) listener(reload);
  }

  async #openKept(error: unknown): Promise<boolean> {
    const kept = error instanceof UnreachableError ? await this.#options.readKept?.(this.#closed.signal) : undefined;
    if (!kept) return false;
    this.#snapshot = kept.data;
    this.#confirmedAt = this.#ticks() - kept.age;
    this.#problem =
      `the store can't be read: ${(error as Error).message}; the data of ${durationText(kept.age)} ago is served, ` +
      "which was kept on this machine";
    return true;
  }

  // Following

  async #watchAll(): Promise<void> {
    let pause = 0;
    for (;;) {
      await delay(pause, undefined, { signal: this.#closed.signal }).catch(() => {});
      pause = Math.min(MAX_PAUSE_MS, 2 * pause + 50);
      if (this.#closed.signal.aborted) return;
      // Nothing has been read yet, or it can't be used: the next comparison reads it.
      if (this.#isBroken || this.#records.isEmpty) continue;
      const abort = new AbortController();
      this.#watch = { abort, endpoint: this.#gateway.endpoint, startedAt: this.#ticks() };
      const { prefix } = this.#options.target;
      const range = { key: prefix, end: endOf(prefix), from: this.#revision + 1, clusterId: this.#clusterId };
      try {
        for await (const changes of this.#gateway.watch(range, abort.signal)) {
          if (abort.signal.aborted) break;
          pause = 0;
          this.#receive(changes);
        }
      } catch (error) {
        // Whatever else is missing, the next comparison finds it.
        if (error instanceof CompactedError) await this.#reload();
      }
      if (abort.signal.aborted) pause = 0;
      abort.abort();
    }
  }

  #receive(changes: readonly Change[]): void {
    if (this.#isBroken) return;
    const newer = changes.filter((change) => change.modRevision > this.#revision);
    try {
      if (this.#records.apply(newer)) {
        this.#version++;
        void this.#publish();
      } else if (this.#shownVersion === this.#version) {
        this.#shownHead = this.#records.headRevision;
      }
    } catch (error) {
      this.#break(error as Error);
      return;
    }
    // All changes of one revision come together.
    this.#revision = newer.reduce((highest, { modRevision }) => Math.max(highest, modRevision), this.#revision);
  }

  /** The records are read again by the next comparison. */
  #break(error: Error): void {
    this.#isBroken = true;
    this.#brokenBy = error;
    this.#watch?.abort.abort();
    this.#fail(error);
  }

  async #pollAll(): Promise<void> {
    for (;;) {
      await delay(this.#times.poll, undefined, { signal: this.#closed.signal }).catch(() => {});
      if (this.#closed.signal.aborted) return;
      try {
        await this.#compare();
      } catch (error) {
        this.#fail(error as Error);
      }
    }
  }

  async #compare(): Promise<void> {
    const startedAt = this.#ticks();
    const key = this.#options.target.prefix + HEAD_KEY;
    const signal = this.#closed.signal;
    const before = this.#revision;
    const { clusterId, revision, entries } = await this.#gateway.range(
      { key, within: this.#times.pollRequest },
      signal,
    );
    const headRevision = entries[0]?.modRevision ?? 0;
    const isOther = clusterId !== this.#clusterId || revision < before || this.#isOtherHead(revision, entries[0]);
    if (!isOther && !this.#isBroken && headRevision !== this.#records.headRevision)
      await delay(this.#times.watchDelay, undefined, { signal }).catch(() => {});
    if (isOther) this.#isBroken = true;
    if (this.#isBroken || this.#records.headRevision < headRevision) await this.#reload();
    await this.#publishing;
    if (!this.#isBroken && this.#shownVersion === this.#version && this.#shownHead >= headRevision && headRevision > 0)
      this.#confirm(startedAt);
    const watch = this.#watch;
    const isOld =
      watch && (watch.endpoint !== this.#gateway.endpoint || startedAt - watch.startedAt > this.#times.watch);
    if (isOld) watch.abort.abort();
  }

  /**
   * Whether a head that was the newest at a revision contradicts the one that is known: the cluster was restored from a
   * backup. Its id is the same as before if its settings are.
   */
  #isOtherHead(revision: number, entry: Entry | undefined): boolean {
    const { head, headRevision } = this.#records;
    const newest = entry?.modRevision ?? 0;
    if (newest !== headRevision) return newest < headRevision && headRevision <= revision;
    return entry !== undefined && parseHead(entry.value.toString("utf8")).write !== head?.write;
  }

  // Writing

  /** One write after the other: those of one process don't compete. */
  #write(this: EtcdStore<Data>, plan: Plan): Promise<void> {
    const writing = this.#updating.then(() => this.#writeUntilMade(plan));
    this.#updating = writing.catch(() => {});
    return writing;
  }

  async #writeUntilMade(this: EtcdStore<Data>, plan: Plan): Promise<void> {
    const endsAt = this.#ticks() + this.#times.write;
    const write: Write = { id: newWriteId(), endsAt, uncertainSince: undefined };
    try {
      for (let attempt = 0; !(await this.#tryToWrite(write, plan)); attempt++) {
        // Shorter with each attempt, so that a writer that has waited for long comes before the others.
        await delay(Math.random() * Math.max(5, 60 - 6 * attempt));
        await this.#load();
      }
    } catch (error) {
      if (write.uncertainSince === undefined) throw error;
      const { message } = error as Error;
      throw new UnreachableError(`${message}; it is not known whether the change was made`, { cause: error });
    }
  }

  /** @returns whether there is nothing left to do; otherwise everything has to be read again first */
  async #tryToWrite(this: EtcdStore<Data>, write: Write, plan: Plan): Promise<boolean> {
    const { target } = this.#options;
    // The watch may change the records while something takes time: afterwards, everything is looked at again.
    for (;;) {
      if (this.#closed.signal.aborted) throw new UnreachableError("the store was closed");
      if (this.#ticks() > write.endsAt) throw new UnreachableError("the change could not be made in time");
      const { head, headRevision } = this.#records;
      if (this.#isBroken) await this.#mend();
      else if (this.#shownVersion !== this.#version) await this.#publish();
      else if (write.uncertainSince !== undefined && write.uncertainSince < headRevision) {
        const madeAt = await findWrite(target, write.id, write.uncertainSince);
        if (madeAt !== undefined) {
          await this.#loadSince(madeAt);
          return true;
        }
        // It was looked for when the head was another already: that attempt can't succeed any more.
        write.uncertainSince = undefined;
      } else if (head?.pending) {
        if (!(await this.#finish(head.pending))) return false;
      } else break;
    }
    const planned = plan();
    if (!planned) return true;
    const { next, changes } = planned;
    const [{ headRevision }, version] = [this.#records, this.#version];
    try {
      const made = await commitChanges(target, headRevision, newHead(next, write.id), changes);
      if (made.succeeded) await this.#accept(next, changes, { ...made, version });
      return made.succeeded;
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      write.uncertainSince = headRevision;
      return false;
    }
  }

  /** Reads broken records again. @throws why they are still broken */
  async #mend(): Promise<void> {
    this.#brokenBy = undefined;
    await this.#load();
    if (this.#brokenBy) throw this.#brokenBy;
  }

  /** Shows what this process has written. @param made.version that the data was made from */
  async #accept(
    this: EtcdStore<Data>,
    next: Data,
    changes: RecordChanges,
    made: { revision: number; head: Head; version: number },
  ): Promise<void> {
    const { revision, head, version } = made;
    // Otherwise the watch was faster.
    if (revision > this.#records.headRevision) {
      this.#records.applyOwn(changes, head, revision);
      // Others may have changed records by hand in the meantime, which `next` does not have.
      const isNewest = this.#version++ === version;
      if (isNewest || this.#isBroken) this.#show(next, this.#version, revision);
      else this.#publish().catch(() => {});
    }
    // It counts from now on. If this fails, the next writer finishes it.
    if (head.pending) await this.#finish(head.pending).catch(() => {});
    await this.#publishing?.catch(() => {});
  }

  /**
   * Moves a pending write to the records.
   *
   * @returns whether it is done, and the records are not known to be outdated
   */
  async #finish({ id }: Pending): Promise<boolean> {
    const { head, headRevision } = this.#records;
    // Otherwise another writer has finished it, and may have made a pending write of its own.
    if (head?.pending?.id !== id) return true;
    try {
      const changes = this.#records.pendingChanges(head.pending);
      const done = await finishPending(this.#options.target, headRevision, head, changes);
      if (done && done.headRevision > this.#records.headRevision) {
        this.#records.applyOwn(new Map(), done.head, done.headRevision);
        if (this.#shownVersion === this.#version) this.#shownHead = done.headRevision;
      }
      return done !== undefined;
    } catch (error) {
      if (error instanceof UncertainError) return false;
      throw error;
    }
  }

  /** Reads again until the data has what was written at a revision. */
  async #loadSince(revision: number): Promise<void> {
    const endsAt = this.#ticks() + this.#times.request;
    for (;;) {
      await this.#load();
      if (this.#records.headRevision >= revision) return;
      if (this.#ticks() > endsAt) throw new ServerError("the store has gone back to earlier data", 200);
    }
  }
}
