import { applyChange } from "../edits/apply-change.js";
import { checkData } from "../schema/parse-data.js";
import type { EditableStore } from "../store.js";

/**
 * A store of data in memory, for tests of programs that use appvars.
 *
 * @throws InvalidDataError when the data breaks a rule of the data file
 */
export function createMemoryStore(data: unknown): EditableStore {
  let snapshot = structuredClone(checkData(data));
  /** One change after the other. */
  let turn = Promise.resolve();
  const listeners = new Set<() => void>();
  return {
    get snapshot() {
      return snapshot;
    },
    problem: undefined,
    update(change) {
      const updated = turn.then(async () => {
        const next = await applyChange(snapshot, change);
        if (next === snapshot) return;
        snapshot = next;
        for (const listener of listeners) listener();
      });
      turn = updated.catch(() => {});
      return updated;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      listeners.clear();
    },
  };
}
