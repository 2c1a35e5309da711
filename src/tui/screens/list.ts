import type { VariableEntry } from "../../domain/source.js";
import { parseFilter, type Query } from "../reading/filter.js";
import { decryptSelected } from "../reading/reveal.js";
import {
  isMarked,
  markedCounts,
  moveInList,
  scrollInList,
  selectedEntry,
  selectInList,
  withList,
  withTypedFilter,
} from "../reading/selection.js";
import { shownValue } from "../reading/shown.js";
import { listPage, type Size, textColumns } from "../state/layout.js";
import { readingOf } from "../state/reading.js";
import { COLUMN_NAMES, type ColumnChoice, type ColumnName, type List, type State, type Step } from "../state/state.js";
import { highlight } from "../text/fuzzy.js";
import { isNarrow, textWidth, visibleText, withVisibleEnd } from "../text/graphemes.js";
import { cellText, countText, fitLine, fitText, indented, type Line, type Span } from "../text/line.js";
import { type Filterable, openFilter } from "../view/filter.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, selectRow } from "../view/panel.js";
import { emptyListLines, problemLine, progressText } from "../view/status-lines.js";
import { PLACEHOLDERS } from "../view/values.js";

export function variablesPanel(state: State, size: Size): PanelContent {
  const { list } = state;
  const isEmpty = list.rows.length === 0;
  const progress = progressText(state);
  const count = isEmpty ? "" : ` ${countText(list.cursor + 1)}/${countText(list.rows.length)}`;
  const filter = list.filter !== "" && readingOf(state).entries.length > 0 ? `  /${visibleText(list.filter)}` : "";
  return {
    title: `Variables${count}${filter}${marksText(state)}`,
    footnote: progress === undefined || isEmpty ? undefined : `reading… ${progress}`.trimEnd(),
    isFocused: state.focus === "variables",
    lines: isEmpty ? emptyLines(state, size) : listLines(state, size),
    panel: "variables",
    select: selectRow(list, list.rows.length, 1, selectInList),
    scroll: scrollInList,
  };
}

/** `✓ 4 marked (1 not listed)` */
function marksText(state: State): string {
  const { marked, hidden } = markedCounts(state);
  if (marked === 0) return "";
  return `  ✓ ${countText(marked)} marked${hidden > 0 ? ` (${countText(hidden)} not listed)` : ""}`;
}

function emptyLines(state: State, size: Size): Line[] {
  const problem = readingOf(state).isComplete ? problemLine(state) : undefined;
  return [problem ? headLine(problem, size) : [], ...emptyListLines(state, textColumns(size)).map(indented)];
}

function headLine(problem: Line, { width }: Size): Line {
  return fitLine(indented(problem), width - 3);
}

function listLines(state: State, size: Size): Line[] {
  const { list, focus } = state;
  const { entries } = readingOf(state);
  const chosen = state.preferences.columns;
  const [width, names] = [size.width - 2, widestName(entries)];
  const columns = chosen ? chosenColumns(width, names, chosen) : listColumns(width, names);
  const problem = problemLine(state);
  // It replaces the heading, so that the rows don't move.
  const head = problem ? headLine(problem, size) : headingLine(headingsOf(columns, list));
  const query = parseFilter(list.filter);
  const rows = rowLines(list.rows, list, listPage(size), focus === "variables", (row, line) => {
    const entry = entries[row];
    if (!entry) return [];
    return [...signs(entry, state, line), ...cells(entry, state, columns, query)];
  });
  return [head, ...rows];
}

function headingsOf(columns: readonly ListColumn[], list: List): string[] {
  return columns.map(({ name, width }) => {
    const title = name.toUpperCase();
    return fitText(list.sort === name ? `${title} ${sortArrow(list)}` : title, width);
  });
}

function cells(entry: VariableEntry, state: State, columns: readonly ListColumn[], query: Query): Line {
  return columns.flatMap(({ name, width }, index): Line => {
    const cell = CELLS[name](entry, state, width, query);
    return index === 0 ? cell : [{ text: GAP }, ...cell];
  });
}

/** Whether the variable was changed recently, and whether it is marked. */
function signs({ variable: { name } }: VariableEntry, state: State, line: number): Line {
  const mark = readingOf(state).changes?.kinds.get(name);
  const sign: Span = mark ? SIGNS[mark] : { text: "  " };
  if (!isMarked(state, name, line)) return [sign];
  return [
    { ...sign, text: sign.text.charAt(0) },
    { text: "✓", role: "accent" },
  ];
}

type Cell = (entry: VariableEntry, state: State, width: number, query: Query) => Line;

const CELLS: Readonly<Record<ColumnName, Cell>> = {
  name: ({ variable }, _state, width, { nameWords }) => searched(nameWords, variable.name, width, {}),
  type: ({ variable }, _state, width) => [{ text: cellText(variable.type, width), role: "muted" }],
  value: (entry, state, width) => [valueCell(entry, state, width)],
  description: ({ variable: { description } }, _state, width, { words }) => {
    return searched(words, description, width, { role: "muted" });
  },
};

function searched(words: readonly string[], text: string, width: number, look: Omit<Span, "text">): Line {
  return words.length === 0 ? [{ ...look, text: cellText(text, width) }] : highlight(words, text, width, look);
}

const ROLES = { STRING: "string", NUMBER: "number", BOOLEAN: "boolean", JSON: "json" } as const;

function valueCell(entry: VariableEntry, state: State, width: number): Span {
  const shown = shownValue(entry, state);
  if (shown.kind === "shown" && shown.text !== "") {
    return { text: cellText(withVisibleEnd(shown.text), width), role: ROLES[entry.variable.type] ?? "text" };
  }
  const placeholder = PLACEHOLDERS[shown.kind];
  return { ...placeholder, text: fitText(placeholder.text, width) };
}

interface ListColumn {
  readonly name: ColumnName;
  readonly width: number;
}

/** Cursor, sign and a space before the cells, and a space after them. */
const AROUND = 4;
const TYPE = 7;
/** `NAME ↑` */
const MIN_NAME = 6;
const MAX_NAME = 32;
/** Columns of a value before there are descriptions. */
const VALUE = 40;
const MIN_DESCRIPTION = 16;

/**
 * The columns of a list of `width` columns. Names have the room that they need, descriptions the rest after values.
 *
 * @param names columns of the widest name
 * @param shown the wanted columns, in their order
 */
function listColumns(width: number, names: number, shown: readonly ColumnName[] = COLUMN_NAMES): readonly ListColumn[] {
  const has = (name: ColumnName) => shown.includes(name);
  const room = width - AROUND - GAP.length * (shown.length - 1) - (has("type") ? TYPE : 0);
  const isShared = has("value") || has("description");
  const name = has("name") ? (isShared ? nameWidth(names, room) : room) : 0;
  const rest = room - name;
  const description = has("value") ? Math.min(rest - VALUE, Math.floor(rest * 0.45)) : rest;
  if (has("description") && has("value") && description < MIN_DESCRIPTION) {
    const others = shown.filter((each) => each !== "description");
    return listColumns(width, names, others);
  }
  const widths = { name, type: TYPE, value: has("description") ? rest - description : rest, description };
  return shown.map((each) => ({ name: each, width: widths[each] }));
}

/** The least width of a column without one of its own. */
const MIN_WIDTH = 8;

/** The columns that a person has chosen. Where there is no room for all, the last ones are left out, but not the name. */
function chosenColumns(width: number, names: number, chosen: readonly ColumnChoice[]): readonly ListColumn[] {
  const fixed = chosen.flatMap(({ name, width: own }) => (own === undefined ? [] : [{ name, width: own }]));
  const others = chosen.flatMap(({ name, width: own }) => (own === undefined ? [name] : []));
  const rest = width - fixed.reduce((sum, column) => sum + column.width + GAP.length, 0);
  const needed =
    others.length > 0 ? AROUND + others.length * (MIN_WIDTH + GAP.length) - GAP.length : AROUND - GAP.length;
  const last = chosen.findLastIndex(({ name }) => name !== "name");
  if (rest < needed) {
    // A name alone is never too wide.
    return last < 0 ? listColumns(width, names, ["name"]) : chosenColumns(width, names, chosen.toSpliced(last, 1));
  }
  const sized = [...fixed, ...listColumns(rest, names, others)];
  return chosen.flatMap(({ name }) => sized.find((column) => column.name === name) ?? []);
}

/** A long name is cut where the value would have less room than both need. */
function nameWidth(names: number, room: number): number {
  return Math.min(names, Math.max(Math.floor(room * 0.6), room - VALUE));
}

// Computed once for each array of entries.
const knownWidths = new WeakMap<readonly VariableEntry[], number>();

/** Columns of the widest name, but at most 32. */
function widestName(entries: readonly VariableEntry[]): number {
  const known = knownWidths.get(entries) ?? measure(entries);
  knownWidths.set(entries, known);
  return known;
}

function measure(entries: readonly VariableEntry[]): number {
  let widest = MIN_NAME;
  for (const { variable } of entries) {
    const { name } = variable;
    widest = Math.max(widest, isNarrow(name) ? name.length : textWidth(visibleText(name)));
    if (widest >= MAX_NAME) return MAX_NAME;
  }
  return widest;
}

/** The direction of the order. */
export function sortArrow({ isReversed }: Pick<List, "isReversed">): string {
  return isReversed ? "↓" : "↑";
}

/** The list while its filter is typed. */
const FILTERED: Omit<Filterable, "cancel"> = {
  apply: (state, filter) => decryptSelected(withTypedFilter(state, filter)),
  move: (state, key) => decryptSelected(moveInList(state, key)),
  counts: (state) => [state.list.rows.length, readingOf(state).entries.length],
};

export function filterList(state: State): Step {
  const { filter } = state.list;
  const wanted = selectedEntry(state)?.variable.name;
  const cancel = (now: State) => decryptSelected(withList(now, { filter, wanted }));
  return openFilter({ ...state, focus: "variables" }, filter, { ...FILTERED, cancel });
}
