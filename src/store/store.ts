import type { Data } from "./data.js";

export interface Store {
  /** The last good data, complete: an answer made from one snapshot never mixes two versions. */
  readonly snapshot: Data;
  /**
   * Why `snapshot` may be out of date; undefined when all is well. Contains no value or secret, but
   * may name records, so it is for logs and for people who may read the data, not for `/healthz`.
   */
  readonly problem: string | undefined;
  /** Milliseconds since `snapshot` was last known to be the newest; undefined for a file. */
  readonly age?: number | undefined;
  /** `NUMBER-WRITE`: how many writes there were, and the id of the last one. */
  readonly version?: string | undefined;
  /**
   * Calls `listener` after `snapshot` or `problem` has changed, but not for each failed attempt to
   * read the data. Returns a function that unsubscribes it.
   */
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Returns the data after a change; its argument for none. It may be called again, with newer data.
 */
export type ChangeData = (data: Data) => Data | Promise<Data>;

export interface UpdateOptions {
  /** The name of the write in the history; by default the command of the author. */
  readonly command?: string | undefined;
  /** Whether changed values may break their schemas. */
  readonly mayBreakSchemas?: boolean | undefined;
}

export interface EditableStore extends Store {
  /**
   * Replaces the current data with the result of `change`. Once it resolves, the change can't be
   * lost and is in `snapshot`.
   *
   * @throws InvalidDataError when the data can't be written or breaks a rule, and the errors of
   *   `applyChange`. Nothing has changed then, unless the message says that it was written but may
   *   be lost; `snapshot` has the change in that case
   */
  update(change: ChangeData, options?: UpdateOptions): Promise<void>;
}

export interface Reloadable {
  /** Reads the data again. Listeners are called even if the problem is the same as before. */
  readAgain(): void;
  /** Calls `listener` after each attempt to read the data again, until the store is closed. */
  onReload(listener: (reload: Reload) => void): void;
}

export interface Reload {
  /** Whether it has been read. If so, its data is the snapshot. */
  readonly isRead: boolean;
  readonly milliseconds: number;
}

/** Calls `listener` with the store's problem after each change, and at once if there is one. */
export function followProblem(store: Store, listener: (problem: string | undefined) => void): void {
  store.subscribe(() => listener(store.problem));
  if (store.problem !== undefined) listener(store.problem);
}

/** The listeners of a store, and the queue of its work. */
export class FollowedStore {
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

  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }

  protected tellReload(reload: Reload): void {
    for (const listener of this.#reloadListeners) listener(reload);
  }

  protected removeListeners(): void {
    this.#listeners.clear();
    this.#reloadListeners.clear();
  }

  /** Does this work after all work before it, whether that failed or not. */
  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    const working = this.#lastWork.then(work);
    this.#lastWork = working.catch(() => {});
    return working;
  }
}
