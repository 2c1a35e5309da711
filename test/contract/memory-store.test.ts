import { createMemoryStore } from "../../src/store/memory/memory-store.js";
import type { EditableStore } from "../../src/store/store.js";
import { describeStore } from "./store.js";

describeStore("data in memory", async (data) => {
  let store: EditableStore | undefined;
  return {
    // All handles are the one store.
    async open() {
      store ??= createMemoryStore(data);
      return store;
    },
    version: async () => store?.data,
  };
});
