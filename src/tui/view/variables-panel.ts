import type { VariableEntry } from "../../domain/source.js";
import { listPage, type Size, textColumns } from "../state/layout.js";
import { scrollInList, selectInList } from "../state/list.js";
import { parseFilter, type Query } from "../state/list-query.js";
import { shownValue } from "../state/reveal.js";
import type { List, Sort, State } from "../state/state.js";
import { highlight } from "../text/fuzzy.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, fitLine, fitText, indented, type Line, type Span } from "../text/line.js";
import { sortArrow } from "./header-line.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, selectRow } from "./panel-content.js";
import { emptyListLines, problemLine, progressText } from "./status-lines.js";
import { PLACEHOLDERS } from "./value-lines.js";

const WIDE = 90;
const TYPE_WIDTH = 7;
/** Cursor, mark and a space before the cells, and a space after them. */
const AROUND = 4;

export function variablesPanel(state: State, size: Size): PanelContent {
  const { list, loaded } = state;
  const isEmpty = list.rows.length === 0;
  const progress = progressText(state);
  const count = isEmpty ? "" : ` ${countText(list.cursor + 1)}/${countText(list.rows.length)}`;
  const filter = list.filter !== "" && loaded.entries.length > 0 ? `  /${visibleText(list.filter)}` : "";
  return {
    title: `Variables${count}${filter}`,
    footnote: progress === undefined || isEmpty ? undefined : `reading… ${progress}`.trimEnd(),
    isFocused: state.focus === "variables",
    lines: isEmpty ? emptyLines(state, size) : listLines(state, size),
    panel: "variables",
    select: selectRow(list, list.rows.length, 1, selectInList),
    scroll: scrollInList,
  };
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
  const columns = listColumns(size.width - 2);
  const problem = problemLine(state);
  // It replaces the heading, so that the rows don't move.
  const head = problem ? headLine(problem, size) : headingLine(headings(columns, list));
  const query = parseFilter(list.filter);
  const rows = rowLines(list.rows, list, listPage(size), focus === "variables", (row) => {
    const entry = loaded.entries[row];
    return entry ? cells(entry, state, columns, query) : [];
  });
  return [head, ...rows];
}

type ListColumns = ReturnType<typeof listColumns>;

/** Columns of each cell; the description has none where there is no room for it. */
function listColumns(width: number) {
  const cells = width - AROUND - TYPE_WIDTH - 2 * GAP.length;
  if (width < WIDE) {
    const value = Math.max(11, Math.floor(cells * 0.4));
    return { name: cells - value, type: TYPE_WIDTH, value, description: 0 };
  }
  const name = Math.floor((cells - GAP.length) * 0.34);
  const value = Math.floor((cells - GAP.length) * 0.28);
  return { name, type: TYPE_WIDTH, value, description: cells - GAP.length - name - value };
}

function headings(columns: ListColumns, list: List): string[] {
  const sorted = (text: string, sort: Sort) => (list.sort === sort ? `${text} ${sortArrow(list)}` : text);
  const texts = [
    fitText(sorted("NAME", "name"), columns.name),
    fitText(sorted("TYPE", "type"), columns.type),
    fitText("VALUE", columns.value),
  ];
  return columns.description > 0 ? [...texts, fitText("DESCRIPTION", columns.description)] : texts;
}

function cells(entry: VariableEntry, state: State, columns: ListColumns, { words, nameWords }: Query): Line {
  const { name, type, description } = entry.variable;
  const mark = state.marks?.kinds.get(name);
  const spans: Line = [
    mark ? SIGNS[mark] : { text: "  " },
    ...searched([...words, ...nameWords], name, columns.name, {}),
    { text: `${GAP}${cellText(type, columns.type)}${GAP}`, role: "muted" },
    valueCell(entry, state, columns.value),
  ];
  if (columns.description === 0) return spans;
  return [
    ...spans,
    { text: GAP, role: "muted" },
    ...searched(words, description, columns.description, { role: "muted" }),
  ];
}

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
