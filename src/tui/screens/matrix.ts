import { copyTo } from "../edit/planning.js";
import { openPlace, refresh, requestReads } from "../reading/polling.js";
import { type Grid, gridOf, targetRows, whyNoName } from "../stack/grid.js";
import { GAP, type PanelContent } from "../stack/panel.js";
import { changeData, pop, push, type Screen } from "../stack/screen.js";
import { shownKey } from "../state/command.js";
import { layoutOf, listPage, matrixSizes, type Size, textColumns } from "../state/layout.js";
import {
  groupLabel,
  groupOf,
  isProduction,
  placeName,
  shortPlaceName,
  whyReadOnly,
} from "../state/places.js";
import { readingOf, readStatusOf } from "../state/readings.js";
import { INITIAL_VIEW, type State, type View } from "../state/state.js";
import { selectedEntry, withCursorOn } from "../table/selection.js";
import { cellKind } from "../table/table.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, indented, type Line, line, type Span } from "../text/line.js";
import { statusLine } from "../view/status-lines.js";
import {
  type Column,
  moveToDifference,
  nameColumn,
  tablePanel,
  widestName,
} from "../view/table-panel.js";
import { comparedCell, KIND_LEGEND, type PlaceValue, placeValueLines } from "../view/values.js";
import { cycled, keepVisible } from "../widgets/list.js";

interface Matrix extends View {
  /** The place under the cursor. */
  readonly place: number;
  /** The first visible column. */
  readonly left: number;
}

/** The row filters in the order of their key. `undefined` lists all rows. */
const ROW_FILTERS: readonly View["rowFilter"][] = [undefined, "differing", "missing"];

const MATRIX: Screen<Matrix> = {
  name: "matrix",
  body: (state, matrix, layout) => {
    const { list, detail } = matrixSizes(layout, groupOf(state).length);
    return [
      { size: list, content: matrixPanel(state, matrix, list) },
      { size: detail, content: valuesPanel(state, detail) },
    ];
  },
  handlers: {
    open: { whyNot: whyNoName, run: openCell },
    "next-difference": {
      whyNot: whyNoName,
      run: (state) => moveToDifference(state, 1),
    },
    "previous-difference": {
      whyNot: whyNoName,
      run: (state) => moveToDifference(state, -1),
    },
    "filter-rows": {
      run: (state, { rowFilter }) =>
        gridOf(state).changeView({ rowFilter: cycled(ROW_FILTERS, rowFilter, 1) }),
    },
    "copy-from": { whyNot: whyNotFill, run: fill },
    refresh: { run: (state) => refresh(state, groupOf(state)) },
    "previous-panel": {
      help: "go to the place on the left",
      run: (state) => atColumn(state, columnOf(gridOf(state)) - 1),
    },
    "next-panel": {
      help: "go to the place on the right",
      run: (state) => atColumn(state, columnOf(gridOf(state)) + 1),
    },
    matrix: { run: (state) => pop(state) },
  },
  table: {
    places: groupOf,
    page: (state) => listPage(matrixSizes(layoutOf(state), groupOf(state).length).list),
    place: (state, { place }) => (groupOf(state).includes(place) ? place : state.place),
  },
  places: (_state, { place }) => [place],
};

/** Shows all variables in all places of the group, and reads unread ones. */
export function openMatrix(state: State): State {
  const name = selectedEntry(state)?.variable.name ?? "";
  const unread = groupOf(state).filter((place) => readStatusOf(state, place) === "unread");
  const { sort, isReversed } = state.list;
  const matrix = { ...INITIAL_VIEW, name, sort, isReversed, place: state.place, left: 0 };
  return requestReads(push(state, MATRIX, matrix), unread);
}

function matrixPanel(state: State, { left, rowFilter }: Matrix, size: Size): PanelContent {
  const grid = gridOf(state);
  const { table } = grid;
  const at = sidewaysOf(state, grid, left);
  const last = at.left + at.visible;
  const column = columnOf(grid);
  const places = table.columns.slice(at.left, last).map((_, index) => {
    return placeColumn(state, grid, at.left + index, at.placeWidth);
  });
  const none = rowFilter
    ? `no variable ${rowFilter === "missing" ? "is missing" : "differs"}; ${shownKey(state, "filter-rows")} shows all`
    : "no variables yet";
  return {
    ...tablePanel(state, size, {
      title: `${groupLabel(state.places[state.place]?.group ?? "")} `,
      after: `  place ${column + 1}/${table.columns.length}${rowFilter ? `  only ${rowFilter}` : ""}`,
      columns: [nameColumn(state, at.nameWidth, at.left > 0 ? "NAME ‹" : "NAME"), ...places],
      end: last < table.columns.length ? "›" : "",
      none: line(none, "muted"),
      isFocused: true,
      column: column - at.left + 1,
      onColumn: (now, clicked) => (clicked < 1 ? now : atColumn(now, at.left + clicked - 1)),
    }),
    legend: statusLine(state) ?? KIND_LEGEND,
  };
}

/**
 * A place: `●` marks the open one, `✗` one that can't be read, `…` one that is
 * being read.
 */
function placeColumn(state: State, { table }: Grid, column: number, width: number): Column {
  const { place = -1, isRead = false, cells = [] } = table.columns[column] ?? {};
  const isOpen = place === state.place;
  const { failure } = readingOf(state, place);
  const sign = failure ? "✗ " : isRead ? (isOpen ? "● " : "") : "… ";
  const info = state.places[place];
  const role = isProduction(info) ? "warning" : isOpen ? "accent" : "muted";
  const unread: Line = [
    { text: cellText(failure ? "? not read" : "… reading", width), role: "muted" },
  ];
  const heading: Span = {
    text: `${sign}${shortPlaceName(state, place)}`,
    role: failure ? "danger" : role,
  };
  const cell = (row: number) => [
    comparedCell(state, cells[row], cellKind(table, row, column, state.revealed), width),
  ];
  return { heading, width, cell: isRead ? cell : () => unread };
}

/**
 * The selected variable, with one line for each place and more for the selected
 * one.
 */
function valuesPanel(state: State, size: Size): PanelContent {
  const grid = gridOf(state);
  const { table, row, name } = grid;
  if (name === undefined) return { title: "Variable", isFocused: false, lines: [] };
  const column = columnOf(grid);
  const page = size.height - 2;
  const items = table.columns.map(({ place, cells }, index): PlaceValue => {
    const isSelected = index === column;
    const lines = isSelected ? Math.max(1, page - table.columns.length + 1) : 1;
    return {
      place,
      kind: cellKind(table, row, index, state.revealed),
      entry: cells[row],
      lines,
      isSelected,
    };
  });
  // If not all places fit, keep the selected one visible.
  const first = Math.max(0, Math.min(column, table.columns.length - page));
  const shown = placeValueLines(state, items.slice(first), textColumns(size));
  return { title: visibleText(name), isFocused: false, lines: shown.map(indented) };
}

/** The columns of names. Long names get at least `long`. */
const NAME = { min: 8, long: 15 } as const;
const PLACE = { min: 11, max: 28 } as const;
/**
 * Columns for the border, the marks before the names, and ` ›` after the cells.
 */
const AROUND = 7;
/** The width of the sign before the name of a place. */
const SIGN = 2;

function columnOf({ table, place }: Grid): number {
  return table.columns.findIndex((column) => column.place === place);
}

/**
 * The width of the place columns, and which are visible. The names get the
 * rest.
 */
function sidewaysOf(state: State, grid: Grid, before: number, column = columnOf(grid)) {
  const { columns } = grid.table;
  const width = matrixSizes(layoutOf(state), columns.length).list.width - AROUND;
  const names = Math.max(NAME.min, widestName(grid.table));
  const room = width - Math.min(names, Math.max(NAME.long, Math.floor(width * 0.3)));
  const labels = columns.map(({ place }) => SIGN + textWidth(shortPlaceName(state, place)));
  const least = Math.max(PLACE.min, Math.min(PLACE.max, room - GAP.length, Math.max(...labels)));
  const placeWidth = Math.max(
    least,
    Math.min(PLACE.max, Math.floor(room / columns.length) - GAP.length),
  );
  const visible = Math.max(
    1,
    Math.min(columns.length, Math.floor(room / (placeWidth + GAP.length))),
  );
  const { top: left } = keepVisible({ cursor: column, top: before }, columns.length, visible);
  return {
    placeWidth,
    visible,
    left,
    nameWidth: Math.min(names, width - visible * (placeWidth + GAP.length)),
  };
}

/** Moves the cursor to a column, and scrolls it into view. */
function atColumn(state: State, column: number): State {
  const grid = gridOf(state);
  const { columns } = grid.table;
  const { place = grid.place } = columns[Math.max(0, Math.min(column, columns.length - 1))] ?? {};
  return changeData(state, MATRIX, (matrix) => {
    return { ...matrix, place, left: sidewaysOf(state, grid, matrix.left, column).left };
  });
}

function openCell(state: State): State {
  const { place, name = "" } = gridOf(state);
  const browsing = withCursorOn({ ...pop(state), focus: "variables" }, name);
  return place === state.place ? browsing : openPlace(browsing, place);
}

/**
 * Yields the value of each target variable in the nearest place to the left
 * that has one, or else to the right. Skips variables that have a value here,
 * unless all do.
 */
function* nearestValues(state: State) {
  const grid = gridOf(state);
  const { columns } = grid.table;
  const column = columnOf(grid);
  const beside = [...columns.slice(0, column).reverse(), ...columns.slice(column + 1)];
  const rows = targetRows(state);
  const missing = rows.filter((row) => !columns[column]?.cells[row]?.value);
  for (const row of missing.length > 0 ? missing : rows) {
    const { place, cells } = beside.find((each) => each.cells[row]?.value) ?? {};
    const entry = cells?.[row];
    if (entry && place !== undefined) yield { entry, place };
  }
}

function fill(state: State): State {
  const sources = [...nearestValues(state)];
  const from = new Set(sources.map(({ place }) => placeName(state, place)));
  const entries = sources.map(({ entry }) => entry);
  return copyTo(state, entries, [gridOf(state).place], [...from].join(", "));
}

function whyNotFill(state: State): string | undefined {
  const { place, name } = gridOf(state);
  if (name === undefined) return whyNoName(state);
  const other = nearestValues(state).next().done
    ? `${name} has no value in any other environment`
    : undefined;
  return whyReadOnly(state, place) ?? other;
}
