import type { Data } from "../../src/store/data.js";
import { createMemoryStore } from "../../src/store/memory/memory-store.js";
import type { Store } from "../../src/store/store.js";

/** An in-memory store whose data can be replaced. */
export interface ChangingStore extends Store {
  replace(data: unknown): void;
}

export function changingStore(data: unknown): ChangingStore {
  const store: { data: Data } & Store = createMemoryStore(data);
  return Object.assign(store, {
    replace(next: unknown) {
      store.data = createMemoryStore(next).data;
    },
  });
}
