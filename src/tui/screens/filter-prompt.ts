import { gridOf } from "../stack/grid.js";
import { hints, type KeyHint, keyLine, pop, push, type Screen, withData } from "../stack/screen.js";
import type { State, View } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { countText, type Line, lineWidth } from "../text/line.js";
import { filtered, moveRows } from "../view/table-panel.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { applyKeyToLine, focusedInput, type TextField, textField } from "../widgets/text-field.js";

interface TypedFilter {
  readonly field: TextField;
  /** The previous view, restored on Esc. */
  readonly before: View;
  /** The number of rows without a filter. */
  readonly all: number;
}

export function openFilter(state: State): State {
  const grid = gridOf(state);
  const all = gridOf(grid.changeView({ filter: "" })).rows.length;
  return push(state, FILTER, { field: textField(grid.view.filter), before: grid.view, all });
}

const FILTER: Screen<TypedFilter> = {
  name: "filter",
  key: filterKey,
  input: (state, { field, all }) => {
    const counts = `  ${countText(gridOf(state).rows.length)} of ${countText(all)} `;
    return [typedLine("/", field, counts, FILTER_KEYS, state.columns)];
  },
  hints: () => FILTER_KEYS,
  more: () =>
    hints(
      "↑↓ move in the list, PgUp a page up, PgDn a page down, 'PORT the whole name, DB_* a glob, ~durl letters of a name, name:port names only, " +
        "type:json a type, missing no value here, encrypted encrypted values, changed changed just now, !port all others",
    ),
  types: () => true,
};

const FILTER_KEYS = hints("Enter keep, Esc back");

/**
 * ` /port 1 of 3 Enter keep F1 help Esc back`: as many keys as fit, Esc last.
 */
export function typedLine(
  sign: string,
  field: TextField,
  counts: string,
  keys: readonly KeyHint[],
  columns: number,
): Line {
  const room = columns - 2 - counts.length;
  const needed = Math.min(room, textWidth(visibleText(field.text)) + 1);
  const line = keyLine(keys.slice(0, -1), room - needed, [...hints("F1 help"), ...keys.slice(-1)]);
  const input = focusedInput(field, room - lineWidth(line));
  return [{ text: ` ${sign}`, role: "accent" }, ...input, { text: counts, role: "muted" }, ...line];
}

/** Keys that move in the list while the user types. */
export const TYPING_MOVES = ["up", "down", "pageup", "pagedown"];

function filterKey(state: State, typed: TypedFilter, key: Key): State {
  const { field, before } = typed;
  const name = editKeyName(key);
  if (name === "enter" || (name === "backspace" && field.text === "")) return pop(state);
  if (name === "escape") return pop(gridOf(state).changeView(before));
  if (TYPING_MOVES.includes(name)) return moveRows(state, name);
  const next = applyKeyToLine(field, key);
  // Every key searches all strings, so a long paste is cut.
  const edited = next.text.length > 1_000 ? textField(next.text.slice(0, 1_000)) : next;
  const shown = withData(state, FILTER, { ...typed, field: edited });
  return edited.text === field.text ? shown : filtered(shown, edited.text);
}
