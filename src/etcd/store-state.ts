import { InvalidDataError, UnreachableError } from "../domain/errors.js";
import { durationText } from "../domain/printable.js";
import { command } from "../domain/shell.js";
import type { Data } from "../store/data.js";
import type { Reload } from "../store/store.js";
import type { Entry, KeyChange } from "./answers.js";
import type { CommitTarget } from "./commit.js";
import { type Head, parseHead } from "./head.js";
import { readRecords } from "./read-records.js";
import { type RecordChanges, StoreRecords } from "./records.js";

/** The last data of a store, as it was kept on disk. */
export interface KeptData {
  readonly data: Data;
  /** Milliseconds since it was last known to be the newest. */
  readonly age: number;
}

export interface StateOptions {
  target: CommitTarget;
  /** For messages. */
  url: string;
  nothing: Data;
  /** Parses the bytes of a data file. @throws InvalidDataError */
  parse: (bytes: Buffer, signal: AbortSignal) => Promise<Data>;
  /** Called with the bytes of new data, a copy. */
  onData?: (bytes: Buffer) => void;
  /** Called when the data was found to be the newest. */
  onConfirmed?: () => void;
}

interface Environment {
  /** Milliseconds in which a request is tried again. */
  readonly requestMs: number;
  /** Monotonic clock in milliseconds. */
  readonly ticks: () => number;
  /** Ends unfinished work. */
  readonly signal: AbortSignal;
}

/**
 * The known state of a store: its records, and the snapshot that was made from them last.
 */
export class StoreState {
  readonly #options: StateOptions;
  readonly #environment: Environment;
  readonly listeners = new Set<() => void>();
  readonly reloadListeners = new Set<(reload: Reload) => void>();
  /** Whether a failure to read is a problem of a store that goes on, rather than an error. */
  isFollowed = false;
  /** Called when changes from a certain revision on can no longer be added to the records. */
  onReplaced = () => {};
  #records: StoreRecords;
  #isBroken = true;
  #brokenBy: Error | undefined;
  #clusterId: string | undefined;
  #revision = 0;
  /** Counts changes of the records. */
  #version = 0;
  #snapshot: Data;
  /** The version and the head that the snapshot has. */
  #shownVersion = 0;
  #shownHead = -1;
  #problem: string | undefined;
  #isOutage = false;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #publishing: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #notifications = 0;

  constructor(options: StateOptions, environment: Environment) {
    this.#options = options;
    this.#environment = environment;
    this.#snapshot = options.nothing;
    this.#records = new StoreRecords(options.target.prefix, options.target.sealing);
  }

  get snapshot(): Data {
    return this.#snapshot;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get age(): number {
    // A clock may have gone back since data was kept.
    return Math.max(0, this.#environment.ticks() - this.#confirmedAt);
  }

  get records(): StoreRecords {
    return this.#records;
  }

  /** Whether the records can't be used until they are read again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  get clusterId(): string | undefined {
    return this.#clusterId;
  }

  /** All changes up to this revision are in the records. */
  get revision(): number {
    return this.#revision;
  }

  get version(): number {
    return this.#version;
  }

  /** Whether the snapshot has everything that is in the records. */
  get isShown(): boolean {
    return this.#shownVersion === this.#version;
  }

  /** Reads everything at one revision, and shows it. Calls share the work. @throws as `readRecords` does */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The same for a store that is followed: a failure becomes its problem. */
  async reload(): Promise<void> {
    try {
      await this.load();
      this.refuseEmpty();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** The same, and listeners are called in any case. */
  async reloadAndTell(): Promise<void> {
    const before = this.#notifications;
    await this.reload();
    if (this.#notifications === before) this.#notify();
  }

  /** Reads broken records again. @throws why they are still broken */
  async mend(): Promise<void> {
    this.#brokenBy = undefined;
    await this.load();
    if (this.#brokenBy) throw this.#brokenBy;
  }

  /** @throws InvalidDataError if there are no records */
  refuseEmpty(): void {
    const { url } = this.#options;
    if (!this.#records.isEmpty) return;
    throw new InvalidDataError(
      `${url} holds no data: to create some, run ${command`appvars init --store ${url}, or appvars migrate FILE ${url}`}`,
    );
  }

  async #load(): Promise<void> {
    const { requestMs, ticks, signal } = this.#environment;
    const startedAt = ticks();
    const reading = readRecords(this.#options.target, requestMs, signal);
    const { records, revision, clusterId } = await reading.catch((error: unknown) => {
      throw this.#named(error, ": ");
    });
    // The watch, or an update in this process, may have been faster.
    const known = Math.max(this.#revision, this.#records.headRevision);
    if (!this.#isBroken && clusterId === this.#clusterId && revision < known) return this.publish();
    [this.#records, this.#clusterId, this.#revision, this.#isBroken] = [records, clusterId, revision, false];
    this.#version++;
    this.onReplaced();
    if (records.isEmpty) {
      this.#shownVersion = this.#version;
      return;
    }
    await this.publish();
    this.confirmHead(records.headRevision, startedAt);
  }

  /** Adds changes to the records, in the order in which they were made, and shows them. */
  receive(changes: readonly KeyChange[]): void {
    if (this.#isBroken) return;
    const newer = changes.filter((change) => change.modRevision > this.#revision);
    try {
      if (this.#records.apply(newer)) {
        this.#version++;
        void this.publish();
      } else if (this.isShown) {
        this.#shownHead = this.#records.headRevision;
      }
    } catch (error) {
      this.break(this.#named(error, ": "));
      return;
    }
    // All changes of one revision come together.
    this.#revision = newer.reduce((highest, { modRevision }) => Math.max(highest, modRevision), this.#revision);
  }

  /** Adds a write of this process. @param next undefined if the data is the same as before */
  accept(changes: RecordChanges, head: Head, revision: number, next?: { data: Data; version: number }): void {
    this.#records.applyOwn(changes, head, revision);
    if (!next) {
      if (this.isShown) this.#shownHead = revision;
      return;
    }
    // Others may have changed records by hand in the meantime, which `next` does not have.
    const isNewest = this.#version++ === next.version;
    if (isNewest || this.#isBroken) this.#show(next.data, this.#version, revision);
    else this.publish().catch(() => {});
  }

  /** Makes the snapshot from the records. Calls share the work. @throws InvalidDataError unless the store is followed */
  publish(): Promise<void> {
    this.#publishing ??= Promise.resolve().then(() => this.#publish());
    return this.#publishing;
  }

  /** Resolves when nothing is being published. */
  async published(): Promise<void> {
    await this.#publishing?.catch(() => {});
  }

  async #publish(): Promise<void> {
    try {
      // Records that are broken may have half of a change.
      while (!this.isShown && !this.#isBroken && !this.#environment.signal.aborted)
        await this.#publishVersion(this.#version);
    } finally {
      // In the step that found nothing left to do: a later call must not wait for finished work.
      this.#publishing = undefined;
    }
  }

  async #publishVersion(version: number): Promise<void> {
    const { ticks, signal } = this.#environment;
    const [{ headRevision }, startedAt] = [this.#records, ticks()];
    let data: Data;
    try {
      const bytes = await this.#records.toBytes();
      const { onData, parse } = this.#options;
      const copy = onData && Buffer.from(bytes);
      data = await parse(bytes, signal);
      if (copy) onData(copy);
    } catch (error) {
      const failure = this.#named(error, " ");
      this.#isBroken = true;
      if (!this.isFollowed) throw failure;
      this.break(failure);
      return;
    }
    // An update in this process has newer data.
    if (this.#shownVersion > version) return;
    this.#show(data, version, headRevision);
    this.#tellReload({ isRead: true, milliseconds: ticks() - startedAt });
  }

  /** Adds the store to an error of its records. */
  #named(error: unknown, separator: string): Error {
    if (!(error instanceof InvalidDataError)) return error as Error;
    return new InvalidDataError(`${this.#options.url}${separator}${error.message}`);
  }

  #show(data: Data, version: number, headRevision: number): void {
    this.#snapshot = data;
    this.#shownVersion = version;
    this.#shownHead = headRevision;
    this.#setProblem(undefined);
    this.#notify();
  }

  /** Shows the snapshot on disk, since nothing can be read. */
  showKept({ data, age }: KeptData, reason: Error): void {
    this.#snapshot = data;
    this.#confirmedAt = this.#environment.ticks() - age;
    this.#problem =
      `the store can't be read: ${reason.message}; the data of ${durationText(age)} ago is served, ` +
      "which was kept on this machine";
  }

  /** The snapshot was the newest data at this time, if it has all records, and this head. */
  confirmHead(headRevision: number, at: number): void {
    const isNewest = !this.#isBroken && this.isShown && this.#shownHead >= headRevision && headRevision > 0;
    if (!isNewest) return;
    this.#confirmedAt = Math.max(this.#confirmedAt, at);
    this.#options.onConfirmed?.();
    if (this.#problem === undefined) return;
    this.#setProblem(undefined);
    this.#notify();
  }

  /** The records are read again by the next comparison. */
  break(error: Error): void {
    this.#isBroken = true;
    this.#brokenBy = error;
    this.onReplaced();
    this.fail(error);
  }

  /** The snapshot may be out of date. */
  fail(error: Error): void {
    if (this.#environment.signal.aborted) return;
    const isOutage = error instanceof UnreachableError;
    const isSameOutage = isOutage && this.#isOutage && this.#problem !== undefined;
    const problem = `the store can't be read: ${error.message}; the last good data is served`;
    this.#tellReload({ isRead: false, milliseconds: 0 });
    // The reasons differ from one attempt to the next.
    if (problem === this.#problem || isSameOutage) return;
    this.#setProblem(problem, isOutage);
    this.#notify();
  }

  /** The known state is of another cluster, or of one that was restored from a backup. */
  forget(): void {
    this.#isBroken = true;
  }

  /** Whether the head that was the newest at a revision contradicts the one that is known. */
  isOtherHead(revision: number, entry: Entry | undefined): boolean {
    const { head, headRevision } = this.#records;
    // This process has written since, or the watch was faster.
    if (headRevision > revision) return false;
    // If it is later, changes are missing that the watch may still bring.
    if (entry?.modRevision !== headRevision) return (entry?.modRevision ?? 0) < headRevision;
    return parseHead(entry.value.toString("utf8")).write !== head?.write;
  }

  #setProblem(problem: string | undefined, isOutage = false): void {
    [this.#problem, this.#isOutage] = [problem, isOutage];
  }

  #notify(): void {
    this.#notifications++;
    for (const listener of this.listeners) listener();
  }

  #tellReload(reload: Reload): void {
    for (const listener of this.reloadListeners) listener(reload);
  }
}
