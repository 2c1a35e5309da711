import { keepVisible } from "../state/cursor.js";
import { layoutOf, listPage, matrixSizes, type Size } from "../state/layout.js";
import { type CellKind, cellKind, cursorAt, matrixRows, type Table, tableOf } from "../state/matrix.js";
import { groupLabel, placeLabel } from "../state/places.js";
import type { Matrix, State } from "../state/state.js";
import { highlight, searchWords } from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, line, type Span, wrapLines } from "../text/line.js";
import { GAP, type PanelContent, rowLines } from "./panel-content.js";

/** A sign and a word for each kind: the color alone says nothing. */
export const CELLS: Readonly<Record<CellKind, Span & { readonly sign: string }>> = {
  same: { sign: "=", text: "same", role: "muted" },
  differs: { sign: "~", text: "differs", role: "warning" },
  missing: { sign: "-", text: "missing", role: "danger" },
  encrypted: { sign: "*", text: "encrypted", role: "json" },
  unread: { sign: "?", text: "", role: "muted" },
};

const MIN_NAME = 16;
const MAX_NAME = 40;
const MIN_COLUMN = 11;
const MAX_COLUMN = 24;
/** Sign of the open place or of a failure, before the name. */
const MARK = 2;

/** Columns of the cells, and how many places fit beside the names. */
export function matrixShape(state: State, { columns }: Pick<Table, "columns">) {
  const width = layoutOf(state).body.width - 4;
  const longest = Math.max(...columns.map(({ place }) => textWidth(shortName(state, place)) + MARK));
  const column = Math.min(Math.max(MIN_COLUMN, longest), MAX_COLUMN);
  const wanted = columns.length * (column + GAP.length);
  const name = Math.min(MAX_NAME, Math.max(MIN_NAME, Math.floor(width * 0.3), width - wanted));
  const visible = Math.max(1, Math.floor((width - name) / (column + GAP.length)));
  return { name, column, visible: Math.min(visible, columns.length) };
}

/** The name of a place in its group. */
export function shortName({ places }: Pick<State, "places">, index: number): string {
  return places[index] ? placeLabel(places[index]) : "";
}

/** Where the cursor is in what is shown now. */
export function matrixPosition(state: State, matrix: Matrix) {
  const table = tableOf(state);
  const rows = matrixRows(table, matrix);
  const page = listPage(matrixSizes(layoutOf(state), table.columns.length).list);
  const position = keepVisible({ cursor: cursorAt(table, rows, matrix), top: matrix.top }, rows.length, page);
  const column = Math.max(
    0,
    table.columns.findIndex(({ place }) => place === matrix.place),
  );
  return { table, rows, page, column, ...position };
}

/** Names by places. Only visible cells are formatted. */
export function matrixPanel(state: State, matrix: Matrix, size: Size): PanelContent {
  const { table, rows, page, cursor, top, column } = matrixPosition(state, matrix);
  const shape = matrixShape(state, table);
  const { top: left } = keepVisible({ cursor: column, top: matrix.left }, table.columns.length, shape.visible);
  const shown = [...table.columns.keys()].slice(left, left + shape.visible);
  const words = searchWords(matrix.filter);
  const cells = (row: number, index: number): Line => [
    { text: " " },
    ...highlight(words, table.names[row] ?? "", shape.name, {}),
    ...shown.flatMap((each): Line => {
      const kind = cellKind(table, row, each, state.revealed);
      return [
        { text: GAP },
        { ...cell(state, table, each, kind, shape.column), isInverse: index === cursor && each === column },
      ];
    }),
  ];
  const heading = [
    ...line(`  ${fitText("NAME", shape.name)}`, "muted"),
    ...shown.flatMap((each): Line => [{ text: GAP }, headingCell(state, table, each, shape.column)]),
  ].map((span) => ({ ...span, isBold: true }));
  return {
    title: `${groupLabel(state.places[state.place]?.group ?? "")}${titleOf(matrix, rows.length, cursor, table.columns.length, column)}`,
    footnote: "= same  ~ differs  - missing  * encrypted",
    isFocused: true,
    lines:
      rows.length > 0
        ? [heading, ...rowLines(rows, { cursor, top }, page, false, cells)]
        : [heading, ...wrapLines(emptyText(matrix), size.width - 4, "muted").map(indented)],
  };
}

function titleOf({ only, filter }: Matrix, count: number, cursor: number, places: number, column: number): string {
  const row = count === 0 ? "" : ` ${countText(cursor + 1)}/${countText(count)}`;
  const search = filter === "" ? "" : `  /${visibleText(filter)}`;
  return `${row}  place ${column + 1}/${places}${only === "all" ? "" : `  only ${only}`}${search}`;
}

function emptyText({ filter, only }: Matrix): string {
  if (filter !== "") return `nothing matches "${filter}"; Esc clears the filter`;
  return only === "all" ? "no variables yet" : `nothing is ${only}; t shows all`;
}

/** The name of a place: `●` the open one, `✗` one that can't be read, `…` one that is being read. */
function headingCell(state: State, { columns }: Table, index: number, width: number): Span {
  const { place = -1, isRead = false } = columns[index] ?? {};
  const failure = place === state.place ? state.loaded.failure : state.others.get(place)?.failure;
  const mark = failure ? "✗" : !isRead ? "…" : place === state.place ? "●" : "";
  const text = fitText(`${mark}${mark && " "}${shortName(state, place)}`, width);
  return { text, role: failure ? "danger" : place === state.place ? "accent" : "muted" };
}

function cell(state: State, { columns }: Table, index: number, kind: CellKind, width: number): Span {
  const { sign, text, ...look } = CELLS[kind];
  if (kind !== "unread") return { ...look, text: fitText(`${sign} ${text}`, width) };
  const place = columns[index]?.place ?? -1;
  return { ...look, text: cellText(state.others.get(place)?.failure ? "? not read" : "… reading", width) };
}
