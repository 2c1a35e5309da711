import type { Reload } from "./store.js";

/** The listeners of a store. */
export class FollowedStore {
  readonly #listeners = new Set<() => void>();
  readonly #reloadListeners = new Set<(reload: Reload) => void>();

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
}
