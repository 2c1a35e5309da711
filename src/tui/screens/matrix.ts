import { isEncrypted } from "../../domain/variable.js";
import { cellKind, cursorAt, hasKind, matrixRows, ONLY, type Table, tableOf } from "../reading/matrix-table.js";
import { openPlace, readPlaces } from "../reading/read.js";
import { decrypting } from "../reading/reveal.js";
import { selectedEntry, withCursorOn } from "../reading/selection.js";
import { isRevealed } from "../reading/shown.js";
import type { Command } from "../state/command.js";
import { layoutOf, listPage, matrixSizes, type Size, textColumns } from "../state/layout.js";
import { groupLabel, isProduction, placeLabel, whyReadOnly } from "../state/places.js";
import { groupOf, readingOf } from "../state/reading.js";
import { notify, type State, type Step, type Work } from "../state/state.js";
import { andThen, step } from "../state/work.js";
import { filterWords, highlight } from "../text/fuzzy.js";
import { isNarrow, textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { type Filterable, openFilter } from "../view/filter.js";
import { type Cell, GAP, type PanelContent, rowLines } from "../view/panel.js";
import { type Act, dataOf, pop, pressCommand, push, type Screen, type Selection, withData } from "../view/screen.js";
import { KIND_LEGEND, kindSpan, type PlaceValue, placeValueLines } from "../view/values.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { cycled, keepVisible, moveCursor, scrollList } from "../widgets/list.js";

/** Names by the places of the open one's group. Its rows and columns follow from the data. */
export interface Matrix {
  /** The variable under the cursor, and its row unless rows have changed since. */
  readonly name: string;
  readonly cursor: number;
  /** Index of the place under the cursor. */
  readonly place: number;
  /** The first visible row and, of the columns that scroll, the first visible one. */
  readonly top: number;
  readonly left: number;
  readonly only: "all" | "differing" | "missing";
  readonly filter: string;
}

/** What commands do in the matrix. */
const ACTS: Readonly<Record<string, Act<Matrix>>> = {
  open: { whyNot: whyNoName, run: goTo },
  "next-difference": { whyNot: whyNoName, run: (state, matrix) => step(moveToGap(state, matrix, 1)) },
  "previous-difference": { whyNot: whyNoName, run: (state, matrix) => step(moveToGap(state, matrix, -1)) },
  "filter-rows": { run: (state, matrix) => step(withMatrix(state, matrix, { only: cycled(ONLY, matrix.only, 1) })) },
  filter: { run: (state, matrix) => openFilter(state, matrix.filter, filterable(matrix)) },
  refresh: { run: (state) => readPlaces(state, groupOf(state)) },
  "previous-panel": { run: (state, matrix) => step(moveSideways(state, matrix, -1)) },
  "next-panel": { run: (state, matrix) => step(moveSideways(state, matrix, 1)) },
  matrix: { run: (state) => step(closed(state)) },
  close: { run: (state) => step(closed(state)) },
  back: { run: goBack },
};

const MATRIX: Screen<Matrix> = {
  name: "matrix",
  key: matrixKey,
  body: (state, matrix, layout) => {
    const { list, detail } = matrixSizes(layout, groupOf(state).length);
    return [
      [
        { size: list, content: matrixPanel(state, matrix, list) },
        { size: detail, content: matrixDetail(state, matrix, detail) },
      ],
    ];
  },
  acts: ACTS,
  selected: selectedCell,
  places: (_state, { place }) => [place],
  // Reads places that are new.
  changed: (state, _matrix, place) => (place === undefined ? readUnread(state) : step(state)),
  takesQuestions: true,
};

/** Cursor and a space before the names. */
const BEFORE = 2;

/** Names by places. Only visible cells are formatted. */
function matrixPanel(state: State, matrix: Matrix, size: Size): PanelContent {
  const at = matrixPosition(state, matrix);
  const { rows, page } = at;
  const words = filterWords(matrix.filter);
  const list = rowLines(rows, at, page, false, (row, index) => matrixCells(state, at, row, index, words));
  const empty = wrapLines(emptyText(matrix), size.width - 4, "muted").map(indented);
  return {
    title: titleOf(state, matrix, at),
    legend: KIND_LEGEND,
    isFocused: true,
    lines: [headings(state, at), ...(rows.length > 0 ? list : empty)],
    select: (now, cell) => inMatrix(now, (open) => selectCell(now, open, cell)),
    scroll: (now, by) =>
      inMatrix(now, (open) =>
        withMatrixCursor(now, open, scrollList(matrixPosition(now, open), rows.length, page, by)),
      ) ?? now,
  };
}

function inMatrix(state: State, change: (matrix: Matrix) => State | undefined): State | undefined {
  const matrix = dataOf(state, MATRIX);
  return matrix && change(matrix);
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
  if (filter !== "") return `no name matches "${filter}"; Esc clears the filter`;
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
  const { failure } = readingOf(state, place);
  const sign = failure ? "✗ " : isRead ? (isOpen ? "● " : "") : "… ";
  const info = state.places[place];
  const role = info && isProduction(info) ? "warning" : isOpen ? "accent" : "muted";
  return { text: fitText(`${sign}${labels[column] ?? ""}`, widths[column] ?? 0), role: failure ? "danger" : role };
}

function matrixCells(state: State, at: MatrixPosition, row: number, index: number, words: readonly string[]): Line {
  const { table, nameWidth, cursor } = at;
  const places = shownColumns(at).flatMap((column): Line => {
    const span = cell(state, at, row, column);
    const isUnderCursor = index === cursor && column === at.column;
    return [{ text: GAP }, isUnderCursor ? { text: span.text, isInverse: true } : span];
  });
  return [{ text: " " }, ...highlight(words, table.names[row] ?? "", nameWidth, {}), ...places];
}

function cell(state: State, { table, widths }: MatrixPosition, row: number, column: number): Span {
  const width = widths[column] ?? 0;
  const kind = cellKind(table, row, column, state.revealed);
  if (kind !== "unread") return kindSpan(kind, width);
  const { failure } = readingOf(state, table.columns[column]?.place ?? -1);
  return { text: cellText(failure ? "? not read" : "… reading", width), role: "muted" };
}

/** The variable under the cursor in all places: a line for each, and more for the place under the cursor. */
function matrixDetail(state: State, matrix: Matrix, size: Size): PanelContent {
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
function matrixPosition(state: State, matrix: Matrix) {
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
function withMatrixCursor(state: State, matrix: Matrix, cell: CellAt): State {
  const at = { ...matrixPosition(state, matrix), ...cell };
  const { table, rows } = at;
  const position = keepVisible(at, rows.length, at.page);
  const name = table.names[rows[position.cursor] ?? -1] ?? matrix.name;
  const column = Math.max(0, Math.min(at.column, table.columns.length - 1));
  const next: Matrix = { ...matrix, ...position, name, place: table.columns[column]?.place ?? matrix.place };
  return withData(state, MATRIX, { ...next, left: matrixPosition(state, next).left });
}

/** Shows all variables in all places of the group, and reads those that are not open. */
export function openMatrix(state: State, only: Matrix["only"] = "all"): Step {
  const { place } = state;
  const name = selectedEntry(state)?.variable.name ?? "";
  const opened = push(state, MATRIX, { name, cursor: 0, place, top: 0, left: 0, only, filter: "" });
  return readPlaces(
    opened,
    groupOf(state).filter((each) => each !== place && !readingOf(state, each).isLocal),
  );
}

function matrixKey(state: State, matrix: Matrix, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  const pressed = pressCommand(state, name, commands) ?? step(move(state, matrix, name));
  return andThen(pressed, (next) => {
    const open = dataOf(next, MATRIX);
    return step(next, ...(open ? decryptions(next, open) : []));
  });
}

function goBack(state: State, matrix: Matrix): Step {
  return step(matrix.filter === "" ? closed(state) : withMatrix(state, matrix, { filter: "" }));
}

function withMatrix(state: State, matrix: Matrix, change: Partial<Matrix>): State {
  return withData(state, MATRIX, { ...matrix, ...change });
}

/** Reads the places that have not been read. */
function readUnread(state: State): Step {
  return readPlaces(
    state,
    groupOf(state).filter((place) => !state.readings.has(place)),
  );
}

function closed(state: State): State {
  return pop(state);
}

function move(state: State, matrix: Matrix, key: string): State {
  const { rows, page, ...at } = matrixPosition(state, matrix);
  const moved = moveCursor(at, rows.length, page, key);
  return moved ? withMatrixCursor(state, matrix, moved) : state;
}

function moveSideways(state: State, matrix: Matrix, by: number): State {
  return withMatrixCursor(state, matrix, { column: matrixPosition(state, matrix).column + by });
}

/** Moves to the next row in which a value differs or is missing. */
function moveToGap(state: State, matrix: Matrix, by: 1 | -1): State {
  const { table, rows, cursor } = matrixPosition(state, matrix);
  const isGap = (index: number) => hasKind(table, rows[index] ?? -1, ["differs", "missing"]);
  let next = cursor + by;
  while (next >= 0 && next < rows.length && !isGap(next)) next += by;
  if (rows[next] === undefined) return notify(state, `no ${by > 0 ? "more" : "earlier"} differences`);
  return withMatrixCursor(state, matrix, { cursor: next });
}

/** The rows while their filter is typed. @param before those to go back to */
const filterable = (before: Matrix): Filterable => ({
  apply: (state, filter) => {
    return onMatrix(state, (matrix) => {
      const table = tableOf(state);
      const [first = -1] = matrixRows(table, { ...matrix, filter });
      return withMatrix(state, matrix, { filter, name: table.names[first] ?? matrix.name, cursor: 0, top: 0 });
    });
  },
  cancel: (state) => onMatrix(state, () => withData(state, MATRIX, before)),
  move: (state, key) => onMatrix(state, (matrix) => move(state, matrix, key)),
  counts: (state) => {
    const table = tableOf(state);
    const matrix = dataOf(state, MATRIX);
    return [matrix ? matrixRows(table, matrix).length : 0, table.names.length];
  },
});

function onMatrix(state: State, change: (matrix: Matrix) => State): Step {
  const matrix = dataOf(state, MATRIX);
  return step(matrix ? change(matrix) : state);
}

/** Opens the place with the cursor on the variable. */
function goTo(state: State, matrix: Matrix): Step {
  const { place, name = "" } = selectedCell(state, matrix);
  const browsing = withCursorOn({ ...closed(state), focus: "variables" }, name);
  return place === state.place ? step(browsing) : openPlace(browsing, place);
}

/** Decrypts the encrypted values of the row under the cursor if they are revealed. */
function decryptions(state: State, matrix: Matrix): Work[] {
  const { revealed } = state;
  if (!revealed) return [];
  const { table, rows, cursor } = matrixPosition(state, matrix);
  const row = rows[cursor] ?? -1;
  if (!isRevealed(revealed, table.names[row] ?? "")) return [];
  return table.columns.flatMap(({ place, cells }): Work[] => {
    const entry = cells[row];
    const sealed = entry?.value?.content.value;
    return entry && isEncrypted(sealed) && !revealed.decrypted.has(sealed) ? [decrypting(entry, place)] : [];
  });
}

/** The cell under the cursor. */
function selectedCell(state: State, matrix: Matrix): Selection {
  const { table, rows, cursor, column } = matrixPosition(state, matrix);
  const row = rows[cursor] ?? -1;
  const { place = state.place, cells } = table.columns[column] ?? {};
  const whyNotEdit = whyReadOnly(state, place);
  return { place, name: table.names[row], entry: cells?.[row], whyNotEdit };
}

function whyNoName(state: State, matrix: Matrix): string | undefined {
  return selectedCell(state, matrix).name === undefined ? "no variable is selected" : undefined;
}
