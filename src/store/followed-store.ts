import type { Reload } from "./store.js";

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
