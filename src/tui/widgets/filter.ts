import { editKeyName, type Key } from "./key.js";
import { editLine, type TextField } from "./text-field.js";

/** Keys that move in the list while its filter is typed. */
const MOVES = ["up", "down", "pageup", "pagedown"];

interface Typing<T> {
  /** Ends it with the filter as it is. */
  readonly keep: () => T;
  /** Ends it with the filter from before. */
  readonly restore: () => T;
  readonly move: (key: string) => T;
  /** @param isChanged whether the text is another, and not only the cursor elsewhere in it */
  readonly edit: (field: TextField, isChanged: boolean) => T;
}

/** Handles a key while the filter of a list is typed. The list follows with each key. */
export function filterKeyed<T>(field: TextField, key: Key, { keep, restore, move, edit }: Typing<T>): T {
  const name = editKeyName(key);
  if (name === "enter" || (name === "backspace" && field.text === "")) return keep();
  if (name === "escape") return restore();
  if (MOVES.includes(name)) return move(name);
  const edited = editLine(field, key);
  return edit(edited, edited.text !== field.text);
}
