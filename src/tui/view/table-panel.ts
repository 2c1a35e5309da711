import { type Grid, gridOf } from "../stack/grid.js";
import { GAP, type PanelContent, rowLine } from "../stack/panel.js";
import { type Size, textColumns } from "../state/layout.js";
import { memoized } from "../state/memoized.js";
import { readingOf } from "../state/readings.js";
import { NO_MARKS, notify, type Sort, type State, type View } from "../state/state.js";
import { parseFilter } from "../table/filter.js";
import { findingOf } from "../table/reveal.js";
import { hiddenMarks, isMarked, withRange } from "../table/selection.js";
import { hasKind, type Table } from "../table/table.js";
import { highlight } from "../text/fuzzy.js";
import { isNarrow, textWidth, visibleText } from "../text/graphemes.js";
import { countText, fitLine, fitText, indented, type Line, type Span } from "../text/line.js";
import { moveCursor, type Position, scrollList } from "../widgets/list.js";
import { emptyLines } from "./status-lines.js";

export interface Column {
  readonly heading: Span;
  readonly width: number;
  /** The sort order that a click on the heading selects. */
  readonly sort?: Sort | undefined;
  readonly cell: (row: number) => Line;
}

/** The column of names, with the matches of the filter highlighted. */
export function nameColumn(state: State, width: number, heading = "NAME"): Column {
  const { table, view } = gridOf(state);
  const { nameWords } = parseFilter(view.filter);
  const cell = (row: number) => highlight(nameWords, table.names[row] ?? "", width, {});
  return { heading: { text: heading }, width, sort: "name", cell };
}

interface TableOptions {
  /** The title before the position, with a space at its end. */
  readonly title: string;
  /** The title after the position. */
  readonly after?: string;
  /** The columns that are scrolled into view. */
  readonly columns: readonly Column[];
  /** A problem, which replaces the headings, so that the rows don't move. */
  readonly problem?: Line | undefined;
  /** The end of the headings, which shows that there are more columns. */
  readonly end?: string;
  /** Shown if there are no rows, and no problem or filter is the reason. */
  readonly none: Line;
  /** The sign before a name. Default: for a finding or a recent change. */
  readonly sign?: (row: number) => Span;
  readonly isFocused: boolean;
  /**
   * The column under the cursor, if single cells can be selected. -1 for the
   * name.
   */
  readonly column?: number;
  /** Handles a click in a column, whose row has been selected. */
  readonly onColumn?: (state: State, column: number) => State;
}

/** Columns before the first cell: the cursor, the sign and the mark. */
const BEFORE = 3;

/** Formats only the visible cells. */
export function tablePanel(state: State, size: Size, options: TableOptions): PanelContent {
  const grid = gridOf(state);
  const { columns, problem, none, onColumn = (now) => now } = options;
  const head = problem && fitLine(indented(problem), size.width - 3);
  return {
    title: titleOf(state, grid, options),
    isFocused: options.isFocused,
    lines:
      grid.rows.length > 0
        ? [head ?? headings(grid, options), ...rowLines(state, grid, options)]
        : [head ?? [], ...emptyLines(state, textColumns(size), none).map(indented)],
    heads: 1,
    select: (now, { line, column: at }) => {
      const column = columnAt(columns, at);
      if (line === 0) return sortedBy(onColumn(now, column), columns[column]?.sort);
      const open = gridOf(now);
      const cursor = open.top + line - 1;
      return cursor < open.rows.length
        ? onColumn(goTo(open, { cursor, top: open.top }), column)
        : undefined;
    },
    scroll: (now, by) => {
      const open = gridOf(now);
      return goTo(open, scrollList(open, open.rows.length, open.page, by));
    },
  };
}

/** `Variables 3/12  /port  ✓ 4 marked (1 not listed)` */
function titleOf(
  { marks }: State,
  grid: Grid,
  { title, after = "", columns }: TableOptions,
): string {
  const { rows, cursor, view } = grid;
  const position = rows.length === 0 ? "" : `${countText(cursor + 1)}/${countText(rows.length)}`;
  const filter = view.filter === "" ? "" : `  /${visibleText(view.filter)}`;
  const isShown =
    view.sort === "id" ? !view.isReversed : columns.some(({ sort }) => sort === view.sort);
  const order = isShown ? "" : `  by ${view.sort} ${sortArrow(view)}`;
  const all = withRange(marks, grid);
  const hidden = hiddenMarks(all, grid);
  const unlisted = hidden > 0 ? ` (${countText(hidden)} not listed)` : "";
  const marked = all.names.size > 0 ? `  ✓ ${countText(all.names.size)} marked${unlisted}` : "";
  return `${title}${position}${after}${order}${filter}${marked}`.trimEnd();
}

function headings({ view }: Grid, { columns, end = "" }: TableOptions): Line {
  const spans = columns.flatMap(({ heading, width, sort }): Line => {
    const text =
      sort !== undefined && sort === view.sort
        ? `${heading.text} ${sortArrow(view)}`
        : heading.text;
    return [{ text: GAP }, { role: "muted", ...heading, text: fitText(text, width) }];
  });
  return [{ text: " " }, ...spans, { text: ` ${end}` }].map((span) => ({ ...span, isBold: true }));
}

/**
 * The arrow of a sort order. The newest changes come first, so it points down
 * unless reversed.
 */
export function sortArrow({ sort, isReversed }: View): string {
  return isReversed === (sort === "changed") ? "↑" : "↓";
}

function rowLines(state: State, grid: Grid, options: TableOptions): Line[] {
  const { table, rows, cursor, top, page } = grid;
  const { columns, column = -1, sign = (row) => signOf(state, grid, row) } = options;
  return rows.slice(top, top + page).map((row, line) => {
    const isUnderCursor = top + line === cursor;
    const mark: Span = isMarked(state.marks, grid, table.names[row] ?? "", top + line)
      ? { text: "✓", role: "accent" }
      : { text: " " };
    const cells = columns.flatMap(({ cell }, index): Line => {
      const isSelected = isUnderCursor && index === column;
      const spans = isSelected
        ? cell(row).map(({ text }) => ({ text, isInverse: true }))
        : cell(row);
      return index === 0 ? spans : [{ text: GAP }, ...spans];
    });
    const isInverse = options.isFocused && options.column === undefined;
    return rowLine([sign(row), mark, ...cells], isUnderCursor, isInverse);
  });
}

/** The signs of differences and of recent changes. */
export const SIGNS = {
  added: { text: "+", role: "success" },
  removed: { text: "-", role: "danger" },
  changed: { text: "~", role: "warning" },
} as const;

function signOf(state: State, { table }: Grid, row: number): Span {
  if (findingOf(state, table.order[0]?.cells[row]) !== undefined)
    return { text: "!", role: "danger" };
  const change = readingOf(state).changes?.kinds.get(table.names[row] ?? "");
  return change ? SIGNS[change] : { text: " " };
}

/** Returns -1 beyond the last column. */
function columnAt(columns: readonly Column[], at: number): number {
  let end = BEFORE;
  return columns.findIndex(({ width }) => {
    end += width + GAP.length;
    return at < end;
  });
}

function sortedBy(state: State, sort: Sort | undefined): State {
  const { view, ...grid } = gridOf(state);
  if (sort === undefined) return state;
  return grid.changeView(
    view.sort === sort ? { isReversed: !view.isReversed } : { sort, isReversed: false },
  );
}

function goTo(grid: Grid, { cursor, top }: Position): State {
  return grid.changeView({
    cursor,
    top,
    name: grid.table.names[grid.rows[cursor] ?? -1] ?? grid.view.name,
  });
}

/** Moves the cursor in the table if `key` is a movement. */
export function moveRows(state: State, key: string): State {
  const grid = gridOf(state);
  const moved = moveCursor(grid, grid.rows.length, grid.page, key);
  return moved ? goTo(grid, moved) : state;
}

export function moveToDifference(state: State, by: 1 | -1): State {
  const grid = gridOf(state);
  const { table, rows, cursor, top } = grid;
  const isDifference = (row: number) => hasKind(table, row, ["differs", "missing"]);
  let next = cursor + by;
  while (next >= 0 && next < rows.length && !isDifference(rows[next] ?? -1)) next += by;
  if (rows[next] === undefined)
    return notify(state, `no ${by > 0 ? "more" : "earlier"} differences`);
  return goTo(grid, { cursor: next, top });
}

/**
 * Moves the cursor to the best match, or keeps it on its variable if there is
 * none.
 */
export function filtered(state: State, filter: string): State {
  const next = gridOf(state).changeView({ filter });
  const grid = gridOf(next);
  return grid.rows.length === 0 || filter.trim() === "" ? next : goTo(grid, { cursor: 0, top: 0 });
}

/**
 * What Escape clears next. The marks come last, and are kept when a screen
 * closes.
 */
export function clearing(
  state: State,
): { readonly label: string; readonly cleared: State } | undefined {
  const { marks, stack } = state;
  const { names } = marks;
  if (marks.from !== undefined)
    return { label: "cancel range", cleared: { ...state, marks: { names } } };
  const { view, ...grid } = gridOf(state);
  if (view.filter !== "")
    return { label: "clear filter", cleared: grid.changeView({ filter: "" }) };
  if (stack.length === 0 && view.rowFilter)
    return { label: "all types", cleared: grid.changeView({ rowFilter: undefined }) };
  return stack.length === 0 && names.size > 0
    ? { label: "unmark", cleared: { ...state, marks: NO_MARKS } }
    : undefined;
}

const NAME = { min: 6, max: 40 } as const;

const widths = memoized<Table, number>();

export function widestName(table: Table): number {
  return widths(table, [], () => {
    let widest: number = NAME.min;
    for (const name of table.names) {
      widest = Math.max(widest, isNarrow(name) ? name.length : textWidth(visibleText(name)));
      if (widest >= NAME.max) return NAME.max;
    }
    return widest;
  });
}
