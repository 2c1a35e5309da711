import type { Editor } from "../state/ports.js";
import type { Tools } from "../state/state.js";

/** Places whose data is in one file or store. */
interface OfStore {
  /** That of one of them. */
  readonly editor: Editor;
  /** Indexes of the places by their environments. */
  readonly places: Map<string, number>;
}

/** Opens places to edit them. @throws UsageError if one is read-only */
export async function byStore({ places }: Tools, indexes: readonly number[]): Promise<readonly OfStore[]> {
  const stores = new Map<string, OfStore>();
  for (const index of indexes) {
    const { editor } = await places.openToEdit(index);
    const store = stores.get(editor.store) ?? { editor, places: new Map() };
    store.places.set(editor.environment, index);
    stores.set(editor.store, store);
  }
  return [...stores.values()];
}
