import type { Data } from "./data.js";

export interface Store {
  /** The last good data. It never changes: a later version is another object. */
  readonly data: Data;
  /**
   * Why `data` may be out of date, if it may be. Contains no value or secret,
   * but may name records: it is not for `/healthz`.
   */
  readonly problem: string | undefined;
  /**
   * Milliseconds since `data` was last known to be the newest; `undefined` for
   * a file.
   */
  readonly age?: number | undefined;
  /** `NUMBER-WRITE`: the number of writes and the id of the last one. */
  readonly version?: string | undefined;
  /**
   * Calls `listener` after `data` or `problem` has changed. Returns a function
   * to unsubscribe.
   */
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Returns the changed data, or its argument for no change. May be called again
 * with newer data.
 */
export type ChangeData = (data: Data) => Data | Promise<Data>;

export interface UpdateOptions {
  /** Names the write in the history. Default: the command of the author. */
  readonly command?: string | undefined;
  /** Whether changed values may break their schemas. */
  readonly mayBreakSchemas?: boolean | undefined;
}

export interface EditableStore extends Store {
  /**
   * Replaces the current data with the result of `change`. Once this resolves,
   * the change can't be lost and is in `data`.
   *
   * @throws the errors of `applyChange`; InvalidDataError when the data can't
   *   be written. Then nothing has changed, unless the message says that the
   *   change was written but may be lost: `data` has it
   */
  update(change: ChangeData, options?: UpdateOptions): Promise<void>;
}

export interface Reloadable {
  /**
   * Reads the data again, and calls listeners even if the problem stays the
   * same.
   */
  reload(): void;
  /** Calls `listener` after each attempt to read the data again. */
  onReload(listener: (reload: Reload) => void): void;
}

export interface Reload {
  /** Whether the data could be read. If so, it is the store's `data`. */
  readonly isRead: boolean;
  readonly milliseconds: number;
}

/**
 * Calls `listener` with the problem after each change, and at once if there is
 * one.
 */
export function followProblem(store: Store, listener: (problem: string | undefined) => void): void {
  store.subscribe(() => listener(store.problem));
  if (store.problem !== undefined) listener(store.problem);
}

/** The listeners of a store, the queue of its work, and its end. */
export class ObservableStore {
  problem: string | undefined;
  protected readonly closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #reloadListeners = new Set<(reload: Reload) => void>();
  #lastWork: Promise<unknown> = Promise.resolve();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onReload(listener: (reload: Reload) => void): void {
    this.#reloadListeners.add(listener);
  }

  protected notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  protected notifyReload(reload: Reload): void {
    for (const listener of this.#reloadListeners) listener(reload);
  }

  async close(): Promise<void> {
    this.closed.abort();
    this.#listeners.clear();
    this.#reloadListeners.clear();
  }

  /** Does work after all earlier work has ended, even with an error. */
  protected enqueue<T>(work: () => Promise<T>): Promise<T> {
    const working = this.#lastWork.then(work);
    this.#lastWork = working.catch(() => {});
    return working;
  }
}
