import { cellKind, cursorAt, matrixRows, type Table, tableOf } from "../reading/matrix-table.js";
import { layoutOf, listPage, matrixSizes, type Size, textColumns } from "../state/layout.js";
import type { Matrix } from "../state/modes.js";
import { groupLabel, isProduction, placeLabel } from "../state/places.js";
import type { State } from "../state/state.js";
import { highlight, searchWords } from "../text/fuzzy.js";
import { isNarrow, textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { type Cell, GAP, type PanelContent, rowLines } from "../view/panel.js";
import { KIND_LEGEND, kindSpan, type PlaceValue, placeValueLines } from "../view/values.js";
import { keepVisible, scrollList } from "../widgets/list.js";

/** Cursor and a space before the names. */
const BEFORE = 2;

/** Names by places. Only visible cells are formatted. */
export function matrixPanel(state: State, matrix: Matrix, size: Size): PanelContent {
  const at = matrixPosition(state, matrix);
  const { rows, page } = at;
  const words = searchWords(matrix.filter);
  const list = rowLines(rows, at, page, false, (row, index) => cells(state, at, row, index, words));
  const empty = wrapLines(emptyText(matrix), size.width - 4, "muted").map(indented);
  return {
    title: titleOf(state, matrix, at),
    legend: KIND_LEGEND,
    isFocused: true,
    lines: [headings(state, at), ...(rows.length > 0 ? list : empty)],
    select: (now, cell) => inMatrix(now, (mode) => selectCell(now, mode, cell)),
    scroll: (now, by) =>
      inMatrix(now, (mode) =>
        withMatrixCursor(now, mode, scrollList(matrixPosition(now, mode), rows.length, page, by)),
      ) ?? now,
  };
}

function inMatrix(state: State, change: (matrix: Matrix) => State | undefined): State | undefined {
  return state.mode.kind === "matrix" ? change(state.mode) : undefined;
}

/** Selects the cell that was clicked; on a name, its row. */
function selectCell(state: State, matrix: Matrix, { line, column }: Cell): State | undefined {
  const { table, rows, top, left, nameWidth, widths, visible } = matrixPosition(state, matrix);
  const cursor = top + line - 1;
  if (line < 1 || cursor >= rows.length) return undefined;
  const startOf = (place: number) => {
    return widths.slice(left, place).reduce((sum, width) => sum + GAP.length + width, BEFORE + nameWidth);
  };
  const place = shownColumns({ table, left, visible }).findLast((each) => startOf(each) <= column);
  const isPlace = place !== undefined && column < startOf(left + visible);
  return withMatrixCursor(state, matrix, { cursor, ...(isPlace && { column: place }) });
}

/** `shop 12/340  place 2/3  only missing  /port` */
function titleOf({ places, place }: State, { only, filter }: Matrix, at: MatrixPosition): string {
  const { rows, cursor, column, table } = at;
  const row = rows.length === 0 ? "" : ` ${countText(cursor + 1)}/${countText(rows.length)}`;
  const group = groupLabel(places[place]?.group ?? "");
  const search = filter === "" ? "" : `  /${visibleText(filter)}`;
  return `${group}${row}  place ${column + 1}/${table.columns.length}${only === "all" ? "" : `  only ${only}`}${search}`;
}

function emptyText({ filter, only }: Matrix): string {
  if (filter !== "") return `nothing matches "${filter}"; Esc clears the filter`;
  return only === "all" ? "no variables yet" : `nothing is ${only}; t shows all`;
}

/** Indexes of the columns that fit. */
function shownColumns({ table, left, visible }: Pick<MatrixPosition, "table" | "left" | "visible">): readonly number[] {
  return [...table.columns.keys()].slice(left, left + visible);
}

/** The names of the places, with `‹` and `›` where there are more. */
function headings(state: State, at: MatrixPosition): Line {
  const { nameWidth, left, visible, table } = at;
  const places = shownColumns(at).flatMap((column, index): Line => {
    return [{ text: index === 0 && left > 0 ? "‹ " : GAP }, heading(state, at, column)];
  });
  const more = left + visible < table.columns.length ? " ›" : "";
  const spans: Line = [{ text: `  ${fitText("NAME", nameWidth)}`, role: "muted" }, ...places, { text: more }];
  return spans.map((span) => ({ ...span, isBold: true }));
}

/** `●` the open place, `✗` one that can't be read, `…` one that is being read. */
function heading(state: State, { table, labels, widths }: MatrixPosition, column: number): Span {
  const { place = -1, isRead = false } = table.columns[column] ?? {};
  const isOpen = place === state.place;
  const failure = isOpen ? state.loaded.failure : state.others.get(place)?.failure;
  const sign = failure ? "✗ " : isRead ? (isOpen ? "● " : "") : "… ";
  const info = state.places[place];
  const role = info && isProduction(info) ? "warning" : isOpen ? "accent" : "muted";
  return { text: fitText(`${sign}${labels[column] ?? ""}`, widths[column] ?? 0), role: failure ? "danger" : role };
}

function cells(state: State, at: MatrixPosition, row: number, index: number, words: readonly string[]): Line {
  const { table, nameWidth, cursor } = at;
  const places = shownColumns(at).flatMap((column): Line => {
    const span = cell(state, at, row, column);
    const isUnderCursor = index === cursor && column === at.column;
    return [{ text: GAP }, isUnderCursor ? { text: span.text, isInverse: true } : span];
  });
  return [{ text: " " }, ...highlight(words, table.names[row] ?? "", nameWidth, {}), ...places];
}

function cell({ revealed, others }: State, { table, widths }: MatrixPosition, row: number, column: number): Span {
  const width = widths[column] ?? 0;
  const kind = cellKind(table, row, column, revealed);
  if (kind !== "unread") return kindSpan(kind, width);
  const failure = others.get(table.columns[column]?.place ?? -1)?.failure;
  return { text: cellText(failure ? "? not read" : "… reading", width), role: "muted" };
}

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

/** Columns for the names, of which long ones have at least `long`, and for each place. */
const NAME = { min: 8, long: 15, max: 40 } as const;
const PLACE = { min: 11, max: 28 } as const;
/** The border, the mark of the cursor and a space before the names, and `›` with a space after the cells. */
const AROUND = 6;
/** Between two cells. */
const SPACE = 2;
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
  const most = Math.max(PLACE.min, Math.min(PLACE.max, width - NAME.long - SPACE));
  const widths = labels.map((label) => Math.max(PLACE.min, Math.min(most, textWidth(label) + SIGN)));
  const needed = widths.map((each) => SPACE + each);
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

type MatrixPosition = ReturnType<typeof matrixPosition>;

interface CellAt {
  /** Indexes of the listed rows. */
  readonly cursor?: number;
  readonly top?: number;
  readonly column?: number;
}

/** The matrix with its cursor on another cell, which is visible then. */
export function withMatrixCursor(state: State, matrix: Matrix, cell: CellAt): State {
  const at = { ...matrixPosition(state, matrix), ...cell };
  const { table, rows } = at;
  const position = keepVisible(at, rows.length, at.page);
  const name = table.names[rows[position.cursor] ?? -1] ?? matrix.name;
  const column = Math.max(0, Math.min(at.column, table.columns.length - 1));
  const next: Matrix = { ...matrix, ...position, name, place: table.columns[column]?.place ?? matrix.place };
  return { ...state, mode: { ...next, left: matrixPosition(state, next).left } };
}
