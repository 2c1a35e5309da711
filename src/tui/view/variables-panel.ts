import type { VariableEntry } from "../../domain/source.js";
import { scrollInList, selectInList } from "../browse/list.js";
import { parseFilter, type Query } from "../browse/list-query.js";
import { isMarked, markedCounts } from "../browse/marks.js";
import { shownValue } from "../browse/reveal.js";
import { listPage, type Size, textColumns } from "../state/layout.js";
import type { ColumnName } from "../state/preferences.js";
import type { List, State } from "../state/state.js";
import { highlight } from "../text/fuzzy.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, fitLine, fitText, indented, type Line, type Span } from "../text/line.js";
import { chosenColumns, type ListColumn, listColumns, sortArrow, widestName } from "./list-columns.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, selectRow } from "./panel-content.js";
import { emptyListLines, problemLine, progressText } from "./status-lines.js";
import { PLACEHOLDERS } from "./value-lines.js";

export function variablesPanel(state: State, size: Size): PanelContent {
  const { list, loaded } = state;
  const isEmpty = list.rows.length === 0;
  const progress = progressText(state);
  const count = isEmpty ? "" : ` ${countText(list.cursor + 1)}/${countText(list.rows.length)}`;
  const filter = list.filter !== "" && loaded.entries.length > 0 ? `  /${visibleText(list.filter)}` : "";
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
  const problem = state.loaded.isComplete ? problemLine(state) : undefined;
  return [problem ? headLine(problem, size) : [], ...emptyListLines(state, textColumns(size)).map(indented)];
}

function headLine(problem: Line, { width }: Size): Line {
  return fitLine(indented(problem), width - 3);
}

function listLines(state: State, size: Size): Line[] {
  const { list, loaded, focus } = state;
  const chosen = state.preferences.columns;
  const [width, names] = [size.width - 2, widestName(loaded.entries)];
  const columns = chosen ? chosenColumns(width, names, chosen) : listColumns(width, names);
  const problem = problemLine(state);
  // It replaces the heading, so that the rows don't move.
  const head = problem ? headLine(problem, size) : headingLine(headingsOf(columns, list));
  const query = parseFilter(list.filter);
  const rows = rowLines(list.rows, list, listPage(size), focus === "variables", (row, line) => {
    const entry = loaded.entries[row];
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
  const mark = state.recentChanges?.kinds.get(name);
  const sign: Span = mark ? SIGNS[mark] : { text: "  " };
  if (!isMarked(state, name, line)) return [sign];
  return [
    { ...sign, text: sign.text.charAt(0) },
    { text: "✓", role: "accent" },
  ];
}

type Cell = (entry: VariableEntry, state: State, width: number, query: Query) => Line;

const CELLS: Readonly<Record<ColumnName, Cell>> = {
  name: ({ variable }, _state, width, { words, nameWords }) =>
    searched([...words, ...nameWords], variable.name, width, {}),
  type: ({ variable }, _state, width) => [{ text: cellText(variable.type, width), role: "muted" }],
  value: (entry, state, width) => [valueCell(entry, state, width)],
  description: ({ variable: { description } }, _state, width, { words }) => {
    const found = words.filter((word) => description.toLowerCase().includes(word));
    return searched(found, description, width, { role: "muted" });
  },
};

function searched(words: readonly string[], text: string, width: number, look: Omit<Span, "text">): Line {
  return words.length === 0 ? [{ ...look, text: cellText(text, width) }] : highlight(words, text, width, look);
}

const ROLES = { STRING: "string", NUMBER: "number", BOOLEAN: "boolean", JSON: "json" } as const;

function valueCell(entry: VariableEntry, state: State, width: number): Span {
  const shown = shownValue(entry, state);
  if (shown.kind === "shown" && shown.text !== "") {
    return { text: cellText(shown.text, width), role: ROLES[entry.variable.type] ?? "text" };
  }
  const placeholder = PLACEHOLDERS[shown.kind];
  return { ...placeholder, text: fitText(placeholder.text, width) };
}
