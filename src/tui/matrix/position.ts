import { cursorAt, matrixRows, type Table, tableOf } from "../browse/matrix-table.js";
import { keepVisible } from "../state/cursor.js";
import { layoutOf, listPage, matrixSizes } from "../state/layout.js";
import type { Matrix } from "../state/modes.js";
import { placeLabel } from "../state/places.js";
import type { State } from "../state/state.js";
import { isNarrow, textWidth, visibleText } from "../text/graphemes.js";

/** Columns for the names, of which long ones have at least `long`, and for each place. */
const NAME = { min: 8, long: 15, max: 40 } as const;
const PLACE = { min: 11, max: 28 } as const;
/** The border, the mark of the cursor and a space before the names, and `›` with a space after the cells. */
const AROUND = 6;
/** Between two cells. */
const GAP = 2;
/** The sign of the open place or of a failure, before a name. */
const SIGN = 2;

/** The visible part of a matrix, and its cursor. */
export function matrixPosition(state: State, matrix: Matrix) {
  const table = tableOf(state);
  const rows = matrixRows(table, matrix);
  const { columns } = table;
  const { list } = matrixSizes(layoutOf(state), columns.length);
  const page = listPage(list);
  const position = keepVisible({ cursor: cursorAt(table, rows, matrix), top: matrix.top }, rows.length, page);

  const labels = columns.map(({ place }) => (state.places[place] ? placeLabel(state.places[place]) : ""));
  const found = columns.findIndex(({ place }) => place === matrix.place);
  const sideways = sidewaysOf(labels, widestName(table), list.width - AROUND, {
    column: Math.max(0, found),
    left: matrix.left,
  });
  return { ...{ table, rows, page, ...position }, ...{ labels, ...sideways } };
}

interface Sideways {
  /** The column under the cursor, and the first visible one. */
  readonly column: number;
  readonly left: number;
}

/**
 * The widths of all places and how many are visible, from the first one that keeps the cursor in view. The names have the
 * room that these leave, as far as they need it.
 */
function sidewaysOf(labels: readonly string[], widest: number, width: number, { column, left: before }: Sideways) {
  const most = Math.max(PLACE.min, Math.min(PLACE.max, width - NAME.long - GAP));
  const widths = labels.map((label) => Math.max(PLACE.min, Math.min(most, textWidth(label) + SIGN)));
  const needed = widths.map((each) => GAP + each);
  const room = width - Math.min(widest, Math.max(NAME.long, Math.floor(width * 0.3)));
  const used = (from: number, count: number) => needed.slice(from, from + count).reduce((sum, each) => sum + each, 0);
  /** How many places fit, from this one on. */
  const fitting = (from: number) => {
    let count = 1;
    while (from + count < labels.length && used(from, count + 1) <= room) count++;
    return count;
  };
  let left = Math.min(before, column);
  while (left + fitting(left) <= column) left++;
  while (left > 0 && left - 1 + fitting(left - 1) >= labels.length) left--;
  const visible = fitting(left);
  return { widths, visible, nameWidth: Math.min(widest, width - used(left, visible)), column, left };
}

// Computed once for each table.
const knownWidths = new WeakMap<Table, number>();

/** Columns of the widest name, within bounds. */
function widestName(table: Table): number {
  let widest = knownWidths.get(table) ?? 0;
  if (widest > 0) return widest;
  widest = NAME.min;
  for (const name of table.names) {
    widest = Math.max(widest, isNarrow(name) ? name.length : textWidth(visibleText(name)));
    if (widest >= NAME.max) break;
  }
  widest = Math.min(widest, NAME.max);
  knownWidths.set(table, widest);
  return widest;
}

export type MatrixPosition = ReturnType<typeof matrixPosition>;

interface Cell {
  /** Indexes of the listed rows. */
  readonly cursor?: number;
  readonly top?: number;
  readonly column?: number;
}

/** The matrix with its cursor on another cell, which is visible then. */
export function withMatrixCursor(state: State, matrix: Matrix, cell: Cell): State {
  const at = { ...matrixPosition(state, matrix), ...cell };
  const { table, rows } = at;
  const position = keepVisible(at, rows.length, at.page);
  const name = table.names[rows[position.cursor] ?? -1] ?? matrix.name;
  const column = Math.max(0, Math.min(at.column, table.columns.length - 1));
  const next: Matrix = { ...matrix, ...position, name, place: table.columns[column]?.place ?? matrix.place };
  return { ...state, mode: { ...next, left: matrixPosition(state, next).left } };
}
