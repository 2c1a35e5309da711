import type { State, Step, View } from "../state/state.js";
import { step } from "../state/work.js";
import { countText, lineWidth } from "../text/line.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { editLine, type TextField, textField, textInput } from "../widgets/text-field.js";
import { gridOf, hints, keyLine, pop, push, type Screen, withData } from "./screen.js";
import { filtered, moveRows } from "./table.js";

interface TypedFilter {
  readonly field: TextField;
  /** The view from before, to go back to. */
  readonly before: View;
  /** How many rows there are without a filter. */
  readonly all: number;
}

/** Lets the person type the filter of the table on the screen. */
export function openFilter(state: State): Step {
  const grid = gridOf(state);
  const all = gridOf(grid.with({ filter: "" })).rows.length;
  return step(push(state, FILTER, { field: textField(grid.view.filter), before: grid.view, all }));
}

const FILTER: Screen<TypedFilter> = {
  name: "filter",
  key: filterKey,
  input: (state, { field, all }) => {
    const count = `  ${countText(gridOf(state).rows.length)} of ${countText(all)} `;
    const keys = keyLine(FILTER_KEYS, state.columns);
    const input = textInput(field, state.columns - 2 - count.length - lineWidth(keys));
    return [[{ text: " /", role: "accent" }, ...input, { text: count, role: "muted" }, ...keys]];
  },
  isLine: true,
  isInList: true,
};

const FILTER_KEYS = hints("Enter keep, Esc cancel");

/** Keys that move in the table meanwhile. */
const MOVES = ["up", "down", "pageup", "pagedown"];

/** The table follows the filter with each key. */
function filterKey(state: State, typed: TypedFilter, key: Key): Step {
  const { field, before } = typed;
  const name = editKeyName(key);
  if (name === "enter" || (name === "backspace" && field.text === "")) return step(pop(state));
  if (name === "escape") return step(pop(gridOf(state).with(before)));
  if (MOVES.includes(name)) return step(moveRows(state, name));
  const edited = editLine(field, key);
  const next = withData(state, FILTER, { ...typed, field: edited });
  return step(edited.text === field.text ? next : filtered(next, edited.text));
}
