import { cellKind } from "../browse/matrix-table.js";
import { scrollList } from "../state/cursor.js";
import type { Size } from "../state/layout.js";
import type { Matrix } from "../state/modes.js";
import { groupLabel } from "../state/places.js";
import { isProduction } from "../state/production.js";
import type { State } from "../state/state.js";
import { highlight, searchWords } from "../text/fuzzy.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { type Cell, GAP, type PanelContent, rowLines } from "../view/panel-content.js";
import { KIND_LEGEND, kindSpan } from "../view/place-values.js";
import { type MatrixPosition, matrixPosition, withMatrixCursor } from "./position.js";

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
