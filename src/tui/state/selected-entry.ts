import type { Entry } from "../ports.js";
import type { State } from "./state.js";

/** The variable under the cursor; undefined where the list is empty. */
export function selectedEntry({ loaded, list }: Pick<State, "loaded" | "list">): Entry | undefined {
  const row = list.rows[list.cursor];
  return row === undefined ? undefined : loaded.entries[row];
}
