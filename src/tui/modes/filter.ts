import { moveInList, withList, withTypedFilter } from "../browse/list.js";
import { decryptSelected } from "../browse/reveal.js";
import { editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { type Step, step } from "../state/messages.js";
import type { Mode } from "../state/modes.js";
import { backToBrowse, type State } from "../state/state.js";

/** Keys that move in the list while the filter is typed. */
const MOVES = ["up", "down", "pageup", "pagedown"];

export function openFilter(state: State): Step {
  const { filter } = state.list;
  return step({ ...state, focus: "variables", mode: { kind: "filter", field: textField(filter), before: filter } });
}

/** The list follows the filter with each key. */
export function filterKey(state: State, mode: Extract<Mode, { kind: "filter" }>, key: Key): Step {
  const name = editKeyName(key);
  if (name === "enter") return step(backToBrowse(state));
  if (name === "escape") return step(withList(backToBrowse(state), { filter: mode.before }));
  if (name === "backspace" && mode.field.text === "") return step(backToBrowse(state));
  if (MOVES.includes(name)) return decryptSelected(moveInList(state, name));
  const field = editLine(mode.field, key);
  const next: State = { ...state, mode: { ...mode, field } };
  return field.text === mode.field.text ? step(next) : decryptSelected(withTypedFilter(next, field.text));
}
