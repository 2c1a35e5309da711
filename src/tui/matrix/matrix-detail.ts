import { cellKind } from "../browse/matrix-table.js";
import { type Size, textColumns } from "../state/layout.js";
import type { Matrix } from "../state/modes.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { indented } from "../text/line.js";
import type { PanelContent } from "../view/panel-content.js";
import { type PlaceValue, placeValueLines } from "../view/place-values.js";
import { matrixPosition } from "./position.js";

/** The variable under the cursor in all places: a line for each, and more for the place under the cursor. */
export function matrixDetail(state: State, matrix: Matrix, size: Size): PanelContent {
  const { table, rows, cursor, column } = matrixPosition(state, matrix);
  const row = rows[cursor];
  if (row === undefined) return { title: "Variable", isFocused: false, lines: [] };
  const page = size.height - 2;
  const items = table.columns.map(({ place, cells }, index): PlaceValue => {
    const isSelected = index === column;
    const lines = isSelected ? Math.max(1, page - table.columns.length + 1) : 1;
    return { place, kind: cellKind(table, row, index, state.revealed), entry: cells[row], lines, isSelected };
  });
  // Where not all fit, the place under the cursor is among those that do.
  const first = Math.max(0, Math.min(column, table.columns.length - page));
  const shown = placeValueLines(state, items.slice(first), textColumns(size));
  return { title: visibleText(table.names[row] ?? ""), isFocused: false, lines: shown.map(indented) };
}
