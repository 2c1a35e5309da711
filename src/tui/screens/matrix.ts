import { parseFilter } from "../reading/filter.js";
import { openPlace, readPlaces } from "../reading/read.js";
import { selectedEntry, withCursorOn } from "../reading/selection.js";
import { cellKind, hasKind } from "../reading/table.js";
import type { Command } from "../state/command.js";
import { layoutOf, listPage, matrixSizes, type Size, textColumns } from "../state/layout.js";
import { groupLabel, isProduction, placeLabel, placeName } from "../state/places.js";
import { groupOf, readingOf } from "../state/reading.js";
import { FIRST_VIEW, type State, type Step, type View } from "../state/state.js";
import { step } from "../state/work.js";
import { highlight } from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { GAP, type PanelContent } from "../view/panel.js";
import {
  type Act,
  dataOf,
  type Grid,
  gridOf,
  pop,
  pressCommand,
  push,
  type Screen,
  selectionOf,
  targetRows,
  withData,
} from "../view/screen.js";
import { type Column, cleared, moveToNext, tablePanel, whyNotFound, widestName } from "../view/table.js";
import { comparedCell, KIND_LEGEND, type PlaceValue, placeValueLines } from "../view/values.js";
import { commandKeyName } from "../widgets/key.js";
import { cycled } from "../widgets/list.js";
import { takeOver, whyReadOnly } from "./places.js";

/** Names by the places of the open one's group. */
interface Matrix extends View {
  /** Index of the place under the cursor. */
  readonly place: number;
  /** The first visible one of the columns that scroll. */
  readonly left: number;
}

const ONLY = [undefined, "differing", "missing"] as const;

/** What commands do in the matrix. */
const ACTS: Readonly<Record<string, Act<Matrix>>> = {
  open: { whyNot: whyNoName, run: openCell },
  "next-difference": { whyNot: whyNoName, run: (state) => step(moveToNext(state, 1, isGap)) },
  "previous-difference": { whyNot: whyNoName, run: (state) => step(moveToNext(state, -1, isGap)) },
  "filter-rows": { run: (state, matrix) => step(gridOf(state).with({ only: cycled(ONLY, onlyOf(matrix), 1) })) },
  "copy-from": { whyNot: whyNotFill, run: fill },
  refresh: { run: (state) => readPlaces(state, groupOf(state)) },
  "previous-panel": { run: (state, matrix) => step(moveSideways(state, matrix, -1)) },
  "next-panel": { run: (state, matrix) => step(moveSideways(state, matrix, 1)) },
  matrix: { run: closed },
  close: { run: closed },
  back: { run: (state) => (cleared(state) ? step(cleared(state) ?? state) : closed(state)) },
};

const MATRIX: Screen<Matrix> = {
  name: "matrix",
  key: (state, _matrix, key, commands: readonly Command[]) =>
    pressCommand(state, commandKeyName(key), commands) ?? step(state),
  body: (state, matrix, layout) => {
    const { list, detail } = matrixSizes(layout, groupOf(state).length);
    return [
      [
        { size: list, content: matrixPanel(state, matrix, list) },
        { size: detail, content: detailPanel(state, detail) },
      ],
    ];
  },
  acts: ACTS,
  table: {
    places: groupOf,
    page: (state) => listPage(matrixSizes(layoutOf(state), groupOf(state).length).list),
    place: (state, { place }) => (groupOf(state).includes(place) ? place : state.place),
  },
  places: (_state, { place }) => [place],
  // Reads places that are new.
  changed: (state, _matrix, place) => (place === undefined ? readUnread(state) : step(state)),
  takesQuestions: true,
};

/** Shows all variables in all places of the group, and reads those that are not open. */
export function openMatrix(state: State, only: View["only"] = undefined): Step {
  const name = selectedEntry(state)?.variable.name ?? "";
  return readUnread(push(state, MATRIX, { ...FIRST_VIEW, name, only, place: state.place, left: 0 }));
}

function readUnread(state: State): Step {
  return readPlaces(
    state,
    groupOf(state).filter((place) => !state.readings.has(place)),
  );
}

function closed(state: State): Step {
  return step(pop(state));
}

function matrixPanel(state: State, { left, only }: Matrix, size: Size): PanelContent {
  const grid = gridOf(state);
  const { table, view } = grid;
  const at = sidewaysOf(state, grid, left);
  const last = at.left + at.visible;
  const column = columnOf(grid);
  const { nameWords } = parseFilter(view.filter);
  const name: Column = {
    heading: { text: at.left > 0 ? "NAME ‹" : "NAME" },
    width: at.nameWidth,
    sort: "name",
    cell: (row) => highlight(nameWords, table.names[row] ?? "", at.nameWidth, {}),
  };
  const places = table.columns.slice(at.left, last).map((_, index) => {
    return placeColumn(state, grid, at.left + index, at.widths[at.left + index] ?? 0);
  });
  const notFound = whyNotFound(state) ?? (only ? `nothing is ${only}; t shows all` : "no variables yet");
  return {
    ...tablePanel(state, {
      title: `${groupLabel(state.places[state.place]?.group ?? "")} `,
      after: `  place ${column + 1}/${table.columns.length}${only ? `  only ${only}` : ""}`,
      columns: [name, ...places],
      end: last < table.columns.length ? "›" : "",
      empty: [[], ...wrapLines(notFound, textColumns(size), "muted").map(indented)],
      isFocused: true,
      column: column - at.left + 1,
      onColumn: (now, clicked) => (clicked < 1 ? now : atColumn(now, at.left + clicked - 1)),
    }),
    legend: KIND_LEGEND,
  };
}

/** `●` the open place, `✗` one that can't be read, `…` one that is being read. */
function placeColumn(state: State, { table }: Grid, column: number, width: number): Column {
  const { place = -1, isRead = false, cells = [] } = table.columns[column] ?? {};
  const isOpen = place === state.place;
  const { failure } = readingOf(state, place);
  const sign = failure ? "✗ " : isRead ? (isOpen ? "● " : "") : "… ";
  const info = state.places[place];
  const role = info && isProduction(info) ? "warning" : isOpen ? "accent" : "muted";
  const unread: Line = [{ text: cellText(failure ? "? not read" : "… reading", width), role: "muted" }];
  const heading: Span = { text: `${sign}${info ? placeLabel(info) : ""}`, role: failure ? "danger" : role };
  const cell = (row: number) => [comparedCell(state, cells[row], cellKind(table, row, column, state.revealed), width)];
  return { heading, width, cell: isRead ? cell : () => unread };
}

/** The variable under the cursor in all places: a line for each, and more for the place under the cursor. */
function detailPanel(state: State, size: Size): PanelContent {
  const grid = gridOf(state);
  const { table, row, name } = grid;
  if (name === undefined) return { title: "Variable", isFocused: false, lines: [] };
  const column = columnOf(grid);
  const page = size.height - 2;
  const items = table.columns.map(({ place, cells }, index): PlaceValue => {
    const isSelected = index === column;
    const lines = isSelected ? Math.max(1, page - table.columns.length + 1) : 1;
    return { place, kind: cellKind(table, row, index, state.revealed), entry: cells[row], lines, isSelected };
  });
  // Where not all fit, the place under the cursor is among those that do.
  const first = Math.max(0, Math.min(column, table.columns.length - page));
  const shown = placeValueLines(state, items.slice(first), textColumns(size));
  return { title: visibleText(name), isFocused: false, lines: shown.map(indented) };
}

/** Columns for the names, of which long ones have at least `long`, and for each place. */
const NAME = { min: 8, long: 15 } as const;
const PLACE = { min: 11, max: 28 } as const;
/** The border, the marks before the names, and a space and `›` after the cells. */
const AROUND = 7;
/** The sign of the open place or of a failure, before a name. */
const SIGN = 2;

/** The index of the column under the cursor. */
function columnOf({ table, place }: Grid): number {
  return table.columns.findIndex((column) => column.place === place);
}

/**
 * The widths of all places and how many are visible, from the first one that keeps the cursor in view. The names have the
 * room that these leave, as far as they need it.
 */
function sidewaysOf(state: State, grid: Grid, before: number) {
  const { table } = grid;
  const { length } = table.columns;
  const column = columnOf(grid);
  const width = matrixSizes(layoutOf(state), length).list.width - AROUND;
  const most = Math.max(PLACE.min, Math.min(PLACE.max, width - NAME.long - GAP.length));
  const widest = Math.max(NAME.min, widestName(table));
  const least = table.columns.map(({ place }) => {
    const info = state.places[place];
    return Math.max(PLACE.min, Math.min(most, textWidth(info ? placeLabel(info) : "") + SIGN));
  });
  const taken = least.reduce((sum, each) => sum + GAP.length + each, widest);
  const spare = Math.max(0, Math.floor((width - taken) / length));
  const widths = least.map((each) => Math.max(each, Math.min(PLACE.max, each + spare)));
  const room = width - Math.min(widest, Math.max(NAME.long, Math.floor(width * 0.3)));
  const used = (from: number, count: number) =>
    widths.slice(from, from + count).reduce((sum, each) => sum + GAP.length + each, 0);
  /** How many places fit, from this one on. */
  const fitting = (from: number) => {
    let count = 1;
    while (from + count < length && used(from, count + 1) <= room) count++;
    return count;
  };
  let left = Math.min(before, column);
  while (left + fitting(left) <= column) left++;
  while (left > 0 && left - 1 + fitting(left - 1) >= length) left--;
  const visible = fitting(left);
  return { widths, visible, nameWidth: Math.min(widest, width - used(left, visible)), left };
}

/** The matrix with its cursor on another column, which is visible then. */
function atColumn(state: State, column: number): State {
  const { columns } = gridOf(state).table;
  const { place } = columns[Math.max(0, Math.min(column, columns.length - 1))] ?? {};
  const matrix = dataOf(state, MATRIX);
  if (!matrix || place === undefined) return state;
  const next = withData(state, MATRIX, { ...matrix, place });
  return withData(next, MATRIX, { ...matrix, place, left: sidewaysOf(next, gridOf(next), matrix.left).left });
}

function moveSideways(state: State, _matrix: Matrix, by: number): State {
  return atColumn(state, columnOf(gridOf(state)) + by);
}

function onlyOf({ only }: Matrix) {
  return ONLY.find((each) => each === only);
}

function isGap({ table }: Pick<Grid, "table">, row: number): boolean {
  return hasKind(table, row, ["differs", "missing"]);
}

/** Opens the place with the cursor on the variable. */
function openCell(state: State): Step {
  const { place, name = "" } = selectionOf(state);
  const browsing = withCursorOn({ ...pop(state), focus: "variables" }, name);
  return place === state.place ? step(browsing) : openPlace(browsing, place);
}

/** For each variable that is to be filled in, the value of the nearest place to the left that has one, else to the right. */
function nearest(state: State) {
  const grid = gridOf(state);
  const { columns } = grid.table;
  const column = columnOf(grid);
  const beside = [...columns.slice(0, column).reverse(), ...columns.slice(column + 1)];
  return targetRows(state).flatMap((row) => beside.find(({ cells }) => cells[row]?.value)?.cells[row] ?? []);
}

function fill(state: State): Step {
  return takeOver(state, nearest(state), selectionOf(state).place);
}

function whyNotFill(state: State): string | undefined {
  const { place, name } = selectionOf(state);
  if (name === undefined) return whyNoName(state);
  const other = nearest(state).length > 0 ? undefined : `${name} has no value beside ${placeName(state, place)}`;
  return whyReadOnly(state, place) ?? other;
}

function whyNoName(state: State): string | undefined {
  const { name, nothing } = selectionOf(state);
  return name === undefined ? nothing : undefined;
}
