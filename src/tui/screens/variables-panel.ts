import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { gridOf } from "../stack/grid.js";
import { GAP, type PanelContent } from "../stack/panel.js";
import { shownKey } from "../state/command.js";
import type { Size } from "../state/layout.js";
import { readingOf } from "../state/readings.js";
import { COLUMN_NAMES, type ColumnChoice, type ColumnName, type State } from "../state/state.js";
import { parseFilter } from "../table/filter.js";
import { selectedEntry } from "../table/selection.js";
import { highlight } from "../text/fuzzy.js";
import { cellText, type Line, line } from "../text/line.js";
import { progressText, statusLine } from "../view/status-lines.js";
import { type Column, nameColumn, tablePanel, widestName } from "../view/table-panel.js";
import { valueCell } from "../view/values.js";

export function variablesPanel(state: State, size: Size): PanelContent {
  const isEmpty = selectedEntry(state) === undefined;
  const progress = progressText(state);
  const { entries, isComplete, isEditable } = readingOf(state);
  const problem = isEmpty && !isComplete ? undefined : statusLine(state);
  const none =
    entries.length === 0
      ? `no variables yet${isEditable ? `; ${shownKey(state, "add")} adds one` : ""}`
      : `no ${state.list.rowFilter} variables; ${shownKey(state, "type")} shows other types`;
  return {
    ...tablePanel(state, size, {
      title: "Variables ",
      after: state.list.rowFilter ? `  only ${state.list.rowFilter}` : "",
      columns: chosenColumns(state, size),
      problem,
      none: line(none, "muted"),
      isFocused: state.focus === "variables",
    }),
    footnote: progress === undefined || isEmpty ? undefined : `reading… ${progress}`.trimEnd(),
    panel: "variables",
  };
}

function chosenColumns(state: State, { width }: Size): readonly Column[] {
  const { table, view } = gridOf(state);
  const entries = table.columns[0]?.cells ?? [];
  const names = Math.min(widestName(table), MAX_NAME);
  const { columns: chosen } = state.preferences;
  const { words } = parseFilter(view.filter);
  return columnWidths(width - 2, names, chosen).map(({ name, width: own }): Column => {
    if (name === "name") return nameColumn(state, own);
    const cell = (row: number) =>
      entries[row] ? CELLS[name](entries[row], state, own, words) : [];
    return {
      width: own,
      heading: { text: name.toUpperCase() },
      sort: name === "type" ? name : undefined,
      cell,
    };
  });
}

type FormatCell = (
  entry: VariableEntry,
  state: State,
  width: number,
  words: readonly string[],
) => Line;

const CELLS: Readonly<Record<Exclude<ColumnName, "name">, FormatCell>> = {
  type: ({ variable }, _state, width) => [{ text: cellText(variable.type, width), role: "muted" }],
  value: (entry, state, width) => [valueCell(state, entry, width)],
  description: ({ variable }, _state, width, words) =>
    highlight(words, variable.description, width, { role: "muted" }),
};

/** The columns for the marks and a space at the end. */
const AROUND = 4;
const TYPE = 7;
const MAX_NAME = 32;
/** The least width beside descriptions. */
const VALUE = 40;
const MIN_DESCRIPTION = 16;
/** The least width of columns without a configured one. */
const MIN_WIDTH = 8;

const ALL = COLUMN_NAMES.map((name): ColumnChoice => ({ name }));

/**
 * Chooses columns and widths. Names get the room that they need; values and
 * descriptions share the rest. Without enough room, descriptions are dropped
 * first, then columns from the right, but never the name.
 *
 * @param names the width of the widest name
 */
function columnWidths(
  width: number,
  names: number,
  chosen: readonly ColumnChoice[] = ALL,
): readonly { name: ColumnName; width: number }[] {
  const room = chosen.reduce(
    (left, { name, width: own = name === "type" ? TYPE : 0 }) => left - own - GAP.length,
    width - AROUND + GAP.length,
  );
  const flexible = chosen.flatMap((each) => (each.width === undefined ? each.name : []));
  const widths = flexibleWidths(room, names, flexible);
  const isCut =
    flexible.includes("value") &&
    flexible.includes("description") &&
    widths.description < MIN_DESCRIPTION;
  const needed = flexible.filter((name) => name !== "type").length * MIN_WIDTH;
  if (!isCut && room >= needed)
    return chosen.map((each) => ({ name: each.name, width: each.width ?? widths[each.name] }));
  const last = chosen.findLastIndex(({ name }) =>
    isCut ? name === "description" : name !== "name",
  );
  return last < 0
    ? [{ name: "name", width: width - AROUND }]
    : columnWidths(width, names, chosen.toSpliced(last, 1));
}

/** The widths of columns without a configured one. */
function flexibleWidths(
  room: number,
  names: number,
  columns: readonly ColumnName[],
): Record<ColumnName, number> {
  const [hasValue, hasDescription] = [columns.includes("value"), columns.includes("description")];
  // Long names are cut if the values would otherwise get too little room.
  const most =
    hasValue || hasDescription
      ? Math.min(names, Math.max(Math.floor(room * 0.6), room - VALUE))
      : room;
  const name = columns.includes("name") ? most : 0;
  const rest = room - name;
  const description = hasValue ? Math.min(rest - VALUE, Math.floor(rest * 0.45)) : rest;
  return { name, type: TYPE, value: hasDescription ? rest - description : rest, description };
}
