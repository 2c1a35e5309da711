import { type Size, textColumns } from "../state/layout.js";
import { cellKind } from "../state/matrix.js";
import { shownValue } from "../state/reveal.js";
import type { Matrix, State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, cutLine, fitText, indented, type Line, line, wrapLine } from "../text/line.js";
import { CELLS, matrixPosition, shortName } from "./matrix-panel.js";
import type { PanelContent } from "./panel-content.js";
import { describePlaceFailure } from "./status-lines.js";
import { PLACEHOLDERS, valueLines } from "./value-lines.js";

const MAX_PLACE = 24;
const KIND = 11;

/** The values of the variable under the cursor: that of the place under the cursor in full, the others on a line each. */
export function matrixDetail(state: State, matrix: Matrix, size: Size): PanelContent {
  const { table, rows, cursor, column } = matrixPosition(state, matrix);
  const row = rows[cursor];
  if (row === undefined) return { title: "Variable", isFocused: false, lines: [] };
  const width = textColumns(size);
  const names = table.columns.map(({ place }) => textWidth(shortName(state, place)));
  const nameWidth = Math.min(MAX_PLACE, Math.max(...names));
  const room = Math.max(1, size.height - 2 - (table.columns.length - 1));
  const blocks = table.columns.map(({ place, cells }, index) => {
    const kind = cellKind(table, row, index, state.revealed);
    const { sign, text, ...look } = CELLS[kind];
    const isSelected = index === column;
    const head: Line = [
      { text: `${isSelected ? "›" : " "} ${fitText(shortName(state, place), nameWidth)}  `, isBold: isSelected },
      { ...look, text: fitText(kind === "unread" ? "" : `${sign} ${text}`, KIND) },
      { text: "  " },
    ];
    const indent = nameWidth + KIND + 6;
    const values = detailValue(state, place, cells[row], Math.max(1, width - indent), isSelected ? room : 1);
    return values.map((value, at): Line => (at === 0 ? [...head, ...value] : [{ text: " ".repeat(indent) }, ...value]));
  });
  return {
    title: visibleText(table.names[row] ?? ""),
    isFocused: false,
    lines: blocks.flat().map(indented),
  };
}

/** At most so many lines of a value, the last one with `…` if there are more. */
function detailValue(
  state: State,
  place: number,
  entry: Parameters<typeof shownValue>[0] | undefined,
  width: number,
  count: number,
): Line[] {
  const failure = state.others.get(place)?.failure;
  if (failure) return [line(cellText(`✗ ${describePlaceFailure(state.places[place], failure).what}`, width), "danger")];
  if (!entry) return [[]];
  const shown = shownValue(entry, state);
  if (shown.kind === "none") return [[]];
  if (shown.kind !== "shown") return [cutLine([PLACEHOLDERS[shown.kind]], width)];
  const lines = wrappedHead(shown.text, entry.variable.type, width, count);
  return lines.length <= count
    ? lines
    : [...lines.slice(0, count - 1), cutLine([...(lines[count - 1] ?? []), { text: " …" }], width)];
}

/** Lines of a value, at least one more than `count` if there are more. Of a long value only the start is formatted. */
function wrappedHead(text: string, type: Parameters<typeof valueLines>[1], width: number, count: number): Line[] {
  const lines: Line[] = [];
  for (const each of valueLines(text, type)) {
    lines.push(...wrapLine(each, width));
    if (lines.length > count) break;
  }
  return lines;
}
