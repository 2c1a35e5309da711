import { moveCursor } from "./cursor.js";
import { withFilter } from "./find-commands.js";
import { pageSize } from "./layout.js";
import type { Key } from "./message.js";
import type { Mode, State } from "./state.js";
import { type Step, step } from "./step.js";
import { editLine } from "./text-field.js";
import { editKeyName } from "./typed.js";

type FilterMode = Extract<Mode, { kind: "filter" }>;

/** Keys that move in the list while the filter is typed; letters and what edits a line do not. */
const MOVING = ["up", "down", "pageup", "pagedown"];

/** A key while the filter is typed: the list follows each of them. */
export function filterKey(state: State, mode: FilterMode, key: Key): Step {
  const browse: State = { ...state, mode: { kind: "browse" } };
  const name = editKeyName(key);
  if (name === "enter") return step(browse);
  if (name === "escape") return step(withFilter(browse, mode.before));
  if (name === "backspace" && mode.field.text === "") return step(browse);
  if (MOVING.includes(name)) return step(move(state, name));
  const field = editLine(mode.field, key);
  const next: State = { ...state, mode: { ...mode, field } };
  return step(field.text === mode.field.text ? next : withFilter(next, field.text));
}

function move(state: State, key: string): State {
  const moved = moveCursor(state.list, state.list.rows.length, pageSize(state, "variables"), key);
  return moved ? { ...state, list: { ...state.list, ...moved }, recordTop: 0 } : state;
}
