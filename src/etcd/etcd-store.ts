import { InvalidDataError, UnreachableError } from "../domain/errors.js";
import { type Data, withLastIds } from "../store/data.js";
import { checkData } from "../store/parse-data.js";
import type { EditableStore, Reload, Reloadable } from "../store/store.js";
import { Follower } from "./follower.js";
import { recordChanges } from "./records.js";
import { type KeptData, type StateOptions, StoreState } from "./store-state.js";
import { StoreWriter } from "./store-writer.js";
import { TIMES, type Times } from "./times.js";

export interface EtcdStoreOptions extends StateOptions {
  /** Whether to follow the changes of other writers. */
  watch?: boolean | undefined;
  /** The data to begin with while no member answers. */
  readKept?: (signal: AbortSignal) => Promise<KeptData | undefined>;
  /** Called when the store is closed. */
  onClosed?: () => Promise<void>;
  ticks?: () => number;
  times?: Partial<Times> | undefined;
}

/**
 * A store in etcd, with one key for each record. Everything is read at one revision, and may be followed from there.
 */
export class EtcdStore implements EditableStore, Reloadable {
  readonly #options: EtcdStoreOptions;
  readonly #common: { target: StateOptions["target"]; times: Times; ticks: () => number; signal: AbortSignal };
  readonly #closed = new AbortController();
  readonly #state: StoreState;
  #writer: StoreWriter | undefined;
  #following: Promise<void> | undefined;

  constructor(options: EtcdStoreOptions) {
    const { target, ticks = () => performance.now() } = options;
    const times = { ...TIMES, ...options.times };
    const { signal } = this.#closed;
    this.#options = options;
    this.#common = { target, times, ticks, signal };
    this.#state = new StoreState(options, { requestMs: times.request, ticks, signal });
  }

  get snapshot(): Data {
    return this.#state.snapshot;
  }

  get problem(): string | undefined {
    return this.#state.problem;
  }

  get age(): number {
    return this.#state.age;
  }

  /** @throws InvalidDataError; UnreachableError, unless there is kept data; UnauthorizedError, ServerError */
  async open(): Promise<this> {
    try {
      await this.#state.load();
      this.#state.refuseEmpty();
    } catch (error) {
      if (!(await this.#openKept(error as Error))) {
        await this.close();
        throw error;
      }
    }
    if (this.#options.watch) this.#following = new Follower(this.#state, this.#common).follow();
    return this;
  }

  async #openKept(error: Error): Promise<boolean> {
    const kept = error instanceof UnreachableError ? await this.#options.readKept?.(this.#closed.signal) : undefined;
    if (kept) this.#state.showKept(kept, error);
    return kept !== undefined;
  }

  /** Writes the first data of a store. @throws InvalidDataError if it holds something; as `update` */
  async create(data: Data): Promise<void> {
    const state = this.#state;
    await state.load();
    const first = checkData(data);
    await this.#write(() => {
      if (!state.records.isEmpty) throw new InvalidDataError(`${this.#options.url} holds data already`);
      return { next: first, changes: recordChanges(state.records, this.#options.nothing, first, first) };
    });
  }

  /** As in EditableStore. */
  async update(change: (data: Data) => Data): Promise<void> {
    const state = this.#state;
    await this.#write(() => {
      state.refuseEmpty();
      const before = state.snapshot;
      const changed = change(before);
      if (changed === before) return undefined;
      const next = checkData(withLastIds(before, changed));
      return { next, changes: recordChanges(state.records, before, changed, next) };
    });
  }

  /**
   * Seals all records with the first key.
   *
   * @returns the number of those that were not
   * @throws InvalidDataError if only some are sealed; as `update`
   */
  async sealAgain(): Promise<number> {
    const state = this.#state;
    let count = 0;
    await this.#write(() => {
      state.refuseEmpty();
      const { foreignKey, stale: changes } = state.records;
      if (foreignKey !== undefined)
        throw new InvalidDataError(
          `${this.#options.url}: ${foreignKey} is not sealed, although others are: somebody without the key has written it; ` +
            "put the record back, or remove it",
        );
      count = changes.size;
      return count === 0 ? undefined : { next: state.snapshot, changes };
    });
    return count;
  }

  #write(...[plan]: Parameters<StoreWriter["write"]>): Promise<void> {
    this.#writer ??= new StoreWriter(this.#state, this.#common);
    return this.#writer.write(plan);
  }

  readAgain(): void {
    void this.#state.reloadAndTell();
  }

  onReload(listener: (reload: Reload) => void): void {
    this.#state.reloadListeners.add(listener);
  }

  subscribe(listener: () => void): () => void {
    this.#state.listeners.add(listener);
    return () => this.#state.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#state.listeners.clear();
    this.#state.reloadListeners.clear();
    this.#options.target.gateway.close();
    await this.#following;
    await this.#options.onClosed?.();
  }
}
