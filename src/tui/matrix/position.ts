import { cursorAt, matrixRows, tableOf } from "../browse/matrix-table.js";
import { keepVisible } from "../state/cursor.js";
import { layoutOf, listPage, matrixSizes } from "../state/layout.js";
import type { Matrix } from "../state/modes.js";
import { placeLabel } from "../state/places.js";
import type { State } from "../state/state.js";
import { textWidth } from "../text/graphemes.js";

/** Columns for the names, and for each place. */
const NAME = { min: 16, max: 40 } as const;
const PLACE = { min: 11, max: 24 };
/** The border, and the mark of the cursor and a space before the names and after the cells. */
const AROUND = 5;
/** Between two cells. */
const GAP = 2;
/** The sign of the open place or of a failure, before a name. */
const SIGN = 2;

/** What is shown of a matrix now, and where its cursor is. */
export function matrixPosition(state: State, matrix: Matrix) {
  const table = tableOf(state);
  const rows = matrixRows(table, matrix);
  const { columns } = table;
  const { list } = matrixSizes(layoutOf(state), columns.length);
  const page = listPage(list);
  const position = keepVisible({ cursor: cursorAt(table, rows, matrix), top: matrix.top }, rows.length, page);

  const labels = columns.map(({ place }) => (state.places[place] ? placeLabel(state.places[place]) : ""));
  const longest = labels.reduce((most, label) => Math.max(most, textWidth(label) + SIGN), PLACE.min);
  const placeWidth = Math.min(longest, PLACE.max);
  const width = list.width - AROUND;
  const left = width - columns.length * (GAP + placeWidth);
  const nameWidth = Math.min(NAME.max, Math.max(NAME.min, Math.floor(width * 0.3), left));
  const visible = Math.max(1, Math.floor((width - nameWidth) / (GAP + placeWidth)));
  const found = columns.findIndex(({ place }) => place === matrix.place);
  const sideways = keepVisible({ cursor: Math.max(0, found), top: matrix.left }, columns.length, visible);
  return {
    ...{ table, rows, page, ...position },
    ...{ labels, nameWidth, placeWidth, visible, column: sideways.cursor, left: sideways.top },
  };
}

export type MatrixPosition = ReturnType<typeof matrixPosition>;

interface Cell {
  /** Indexes of what is listed. */
  readonly cursor?: number;
  readonly top?: number;
  readonly column?: number;
}

/** The matrix with its cursor on another cell, which is visible then. */
export function withMatrixCursor(state: State, matrix: Matrix, cell: Cell): State {
  const at = { ...matrixPosition(state, matrix), ...cell };
  const { table, rows } = at;
  const position = keepVisible(at, rows.length, at.page);
  const sideways = keepVisible({ cursor: at.column, top: at.left }, table.columns.length, at.visible);
  const name = table.names[rows[position.cursor] ?? -1] ?? matrix.name;
  const place = table.columns[sideways.cursor]?.place ?? matrix.place;
  return { ...state, mode: { ...matrix, ...position, name, place, left: sideways.top } };
}
