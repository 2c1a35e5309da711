import { inView as positionInView } from "./cursor.js";
import { pageSize } from "./layout.js";
import { listRows } from "./list-rows.js";
import { selectedEntry } from "./selected-entry.js";
import type { List, State } from "./state.js";

/** Makes the list anew after its rules or the entries have changed; the cursor stays on its variable if that is still there. */
export function relist(state: State, before: State = state): State {
  const rows = listRows(state.loaded.entries, state.list);
  const id = selectedEntry(before)?.variable.id;
  const { entries } = state.loaded;
  const found = id === undefined ? -1 : rows.findIndex((row) => entries[row]?.variable.id === id);
  // Where it is gone, the one that has come to its place.
  const cursor = Math.max(0, found >= 0 ? found : Math.min(before.list.cursor, rows.length - 1));
  return inView({ ...state, list: { ...state.list, rows, cursor } });
}

/** The same with other rules. */
export function withList(state: State, change: Partial<List>): State {
  return relist({ ...state, list: { ...state.list, ...change } }, state);
}

/** The list moved as little as puts its cursor on the screen. */
export function inView(state: State): State {
  const { cursor, top, rows } = state.list;
  const position = positionInView({ cursor, top }, rows.length, pageSize(state, "variables"));
  const isSame = position.cursor === cursor && position.top === top;
  return isSame ? state : { ...state, list: { ...state.list, ...position } };
}
