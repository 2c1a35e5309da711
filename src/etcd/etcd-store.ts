import { withPathInErrors } from "../kit/files/system-errors.js";
import { formatDuration } from "../kit/text/duration.js";
import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import { command } from "../kit/text/shell.js";
import { type Data, NO_DATA } from "../store/data.js";
import type { Author, History } from "../store/history.js";
import {
  type ChangeData,
  type EditableStore,
  ObservableStore,
  type Reloadable,
  type UpdateOptions,
} from "../store/store.js";
import { type Head, KEYS } from "./log.js";
import { pause } from "./member-client.js";
import type { OfflineCopy, OfflineData } from "./offline-copy.js";
import { readHead, readSince, readWholeStore, readWrites, type StoreState } from "./read-store.js";
import type { Sealing } from "./sealing.js";
import { prune } from "./snapshots.js";
import { StoreWriter } from "./store-writer.js";
import type { StoreTarget } from "./uploads.js";

/** The pause after a watch has failed. */
const PAUSE_MS = 200;

export interface EtcdStoreOptions {
  target: Omit<StoreTarget, "signal">;
  url: string;
  author: Author;
  /** Whether to follow the changes of other writers. */
  watch?: boolean;
  /** The data to begin with if no member answers. */
  offlineCopy?: OfflineCopy;
  warn?: (text: string) => void;
}

/** A store in etcd (docs/design/etcd-store.md). */
export class EtcdStore extends ObservableStore implements EditableStore, Reloadable {
  readonly #options: EtcdStoreOptions;
  readonly #target: StoreTarget;
  #state: StoreState | undefined;
  /** The data that is served until the first answer. */
  #offline: OfflineData | undefined;
  /** Whether no member answers. */
  #isOutage = false;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #following: Promise<unknown> | undefined;

  constructor(options: EtcdStoreOptions) {
    super();
    this.#options = options;
    this.#target = { ...options.target, signal: this.closed.signal };
  }

  get data(): Data {
    return (this.#state ?? this.#offline)?.data ?? NO_DATA;
  }

  get version(): string {
    return this.#state ? versionText(this.#state.head) : (this.#offline?.version ?? "");
  }

  get age(): number {
    return performance.now() - this.#confirmedAt;
  }

  /**
   * @throws InvalidDataError, UnauthorizedError, ServerError; UnreachableError
   *   without an offline copy
   */
  async open(): Promise<this> {
    try {
      await this.#read().catch((error) => this.#openOffline(error));
    } catch (error) {
      await this.close();
      throw error;
    }
    if (this.#options.watch) this.#following = this.#follow();
    return this;
  }

  async #openOffline(error: Error): Promise<void> {
    if (error instanceof UnreachableError)
      this.#offline = await this.#options.offlineCopy?.read(this.closed.signal);
    if (!this.#offline) throw error;
    const { age } = this.#offline;
    this.#confirmedAt = performance.now() - age;
    const served = `serving data from ${formatDuration(age)} ago, kept on this machine`;
    this.problem = unreadable(error, served);
  }

  /**
   * Reads newer writes; everything if `readsAll`, or if they don't follow the
   * current state.
   *
   * @param within milliseconds for all attempts to read the head
   */
  async #read(readsAll = false, within?: number): Promise<StoreState> {
    const startedAt = performance.now();
    const before = this.#state;
    const { url } = this.#options;
    const reading = this.#readNewest(before, readsAll, within);
    const state = await withPathInErrors(`${url}:`, reading);
    if (!state) {
      const advice = command`appvars init --store ${url}, or appvars migrate FILE ${url}`;
      throw new InvalidDataError(`${url} holds no data: to create some, run ${advice}`);
    }
    this.#adopt(state, before, startedAt);
    return this.#state ?? state;
  }

  /** @returns `undefined` for a store that holds nothing */
  async #readNewest(before: StoreState | undefined, readsAll: boolean, within?: number) {
    const newest = await readHead(this.#target, { since: before?.head.version, within });
    if (!newest) return undefined;
    const later = before && !readsAll && (await readSince(this.#target, before, newest));
    return later || readWholeStore(this.#target, newest);
  }

  /**
   * @param before the state that `state` is based on; the current one may be
   *   newer by now
   */
  #adopt(state: StoreState, before: StoreState | undefined, startedAt: number): void {
    const current = this.#state;
    const { head, clusterId, revision } = state;
    const isOutdated =
      current !== before &&
      current?.clusterId === clusterId &&
      current.head.store === head.store &&
      current.revision > revision;
    if (isOutdated) return;
    this.#offline = undefined;
    const version = versionText(head);
    const isNew = !current || versionText(current.head) !== version;
    if (current && head.version < current.head.version)
      this.#options.warn?.(
        `the store has gone back from write ${current.head.version} to ${head.version}: it was ` +
          "restored, or somebody has put back an older state",
      );
    // Unchanged data stays the same object.
    this.#state = isNew ? state : { ...state, data: current.data };
    this.#confirmedAt = Math.max(this.#confirmedAt, startedAt);
    this.#options.offlineCopy?.save(this.#state.data, version);
    const hadProblem = this.problem !== undefined;
    [this.problem, this.#isOutage] = [undefined, false];
    if (isNew) this.notifyReload({ isRead: true, milliseconds: performance.now() - startedAt });
    if (isNew || hadProblem) this.notifyListeners();
  }

  #fail(error: Error): void {
    if (this.closed.signal.aborted) return;
    const isOutage = error instanceof UnreachableError;
    const problem = unreadable(error, "the last good data is served");
    this.notifyReload({ isRead: false, milliseconds: 0 });
    // The reasons of an outage differ from one attempt to the next.
    if (problem === this.problem || (isOutage && this.#isOutage)) return;
    [this.problem, this.#isOutage] = [problem, isOutage];
    this.notifyListeners();
  }

  /** Reads after each change, and every few seconds: the watch is only a hint. */
  async #follow(): Promise<void> {
    const { signal } = this.closed;
    const { poll } = this.#target.gateway.times;
    let [woken, watch] = [new AbortController(), new AbortController()];
    watch.abort();
    const wake = () => woken.abort();
    signal.addEventListener("abort", wake);
    while (!signal.aborted) {
      if (watch.signal.aborted) {
        watch = new AbortController();
        void this.#watch(watch, wake);
      }
      await pause(poll, woken.signal);
      const [isWoken, version] = [woken.signal.aborted, this.version];
      // From here on, a change wakes the next round.
      woken = new AbortController();
      if (!signal.aborted) await this.#read(false, poll).catch((error: Error) => this.#fail(error));
      // The watch has missed a change: its connection may be dead.
      if (!isWoken && version !== this.version) watch.abort();
    }
    watch.abort();
  }

  async #watch(watch: AbortController, wake: () => void): Promise<void> {
    try {
      for await (const _ of this.#target.gateway.watch(KEYS.head, watch.signal)) wake();
    } catch {
      await pause(PAUSE_MS, watch.signal);
    }
    watch.abort();
    wake();
  }

  /** @throws as `open`; while the changes are read, too */
  async history(): Promise<History> {
    const { data, head } = await this.#read();
    return { data, writes: readWrites(this.#target, head) };
  }

  update(change: ChangeData, options: UpdateOptions = {}): Promise<void> {
    return this.#write((writer) => writer.update(change, options), options);
  }

  /** @throws InvalidDataError if the store holds data; as `update` */
  create(data: Data): Promise<void> {
    return this.#write((writer) => writer.create(data));
  }

  /** Writes all data again with another sealing, and removes the earlier log. */
  resealAll(sealing: Sealing): Promise<void> {
    return this.#write((writer) => writer.rewriteAll(), { sealing });
  }

  /** Removes old log entries, even on a cluster that is out of space. */
  prune(entries: number): Promise<void> {
    return this.enqueue(() => prune(this.#target, entries));
  }

  /** Writes once the earlier writes of this process have ended. */
  #write(
    write: (writer: StoreWriter) => Promise<void>,
    {
      command = this.#options.author.command,
      sealing = this.#target.sealing,
    }: UpdateOptions & { sealing?: Sealing } = {},
  ): Promise<void> {
    const { url } = this.#options;
    const author = { ...this.#options.author, command };
    const target = { ...this.#target, sealing };
    const read = () => this.#read();
    const adopt = this.#adopt.bind(this);
    return this.enqueue(() =>
      write(new StoreWriter({ url, author, target, present: this.#state, read, adopt })),
    );
  }

  reload(): void {
    void this.#read(true)
      .catch((error: Error) => this.#fail(error))
      .then(() => this.notifyListeners());
  }

  override async close(): Promise<void> {
    await super.close();
    this.#target.gateway.close();
    await this.#following;
    await this.#options.offlineCopy?.close();
  }
}

function unreadable({ message }: Error, served: string): string {
  return `the store can't be read: ${message}; ${served}`;
}

function versionText({ version, write }: Head): string {
  return `${version}-${write}`;
}
