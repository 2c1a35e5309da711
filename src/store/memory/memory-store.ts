import type { Data } from "../data.js";
import { applyChange } from "../edits/apply-change.js";
import { checkData } from "../schema/parse-data.js";
import {
  type ChangeData,
  type EditableStore,
  ObservableStore,
  type UpdateOptions,
} from "../store.js";

/**
 * Creates a store of data in memory, for tests of programs that use appvars.
 *
 * @throws InvalidDataError when the data breaks a rule of the data file
 */
export function createMemoryStore(data: unknown): EditableStore {
  return new MemoryStore(structuredClone(checkData(data)));
}

class MemoryStore extends ObservableStore implements EditableStore {
  data: Data;

  constructor(data: Data) {
    super();
    this.data = data;
  }

  update(change: ChangeData, options?: UpdateOptions): Promise<void> {
    return this.enqueue(async () => {
      const next = await applyChange(this.data, change, options);
      if (next === this.data) return;
      this.data = next;
      this.notifyListeners();
    });
  }
}
