import type { Entry } from "../ports.js";
import type { State } from "./state.js";

/** The entry that the list's cursor is on; undefined in an empty list. */
export function currentEntry({ loaded, list }: Pick<State, "loaded" | "list">): Entry | undefined {
  const index = list.rows[list.cursor];
  return index === undefined ? undefined : loaded.entries[index];
}
