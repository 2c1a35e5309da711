import type { Difference } from "../../domain/diff.js";
import { isEncrypted, type NamedValue, valueText } from "../../domain/variable.js";
import { type Position, scrollList } from "../state/cursor.js";
import { listPage, type Size, textColumns } from "../state/layout.js";
import type { Assigned } from "../state/ports.js";
import { isRevealed, MASK } from "../state/reveal.js";
import type { Comparison, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLine, wrapLines } from "../text/line.js";
import { editLines } from "./edit-lines.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, selectRow } from "./panel-content.js";
import { placeName } from "./places-panel.js";
import { describePlaceFailure } from "./status-lines.js";

const MAX_NAME = 40;

/** The differences between the open place and another, side by side. Only visible ones are formatted. */
export function diffPanel(state: State, comparison: Comparison, size: Size): PanelContent {
  const [left, right] = [placeName(state, state.place), placeName(state, comparison.place)];
  const count = comparison.differences.length;
  const hasList = comparison.phase === "ready" && count > 0;
  return {
    title: `${left} → ${right}${hasList ? `  ${countText(comparison.cursor + 1)}/${countText(count)}` : ""}`,
    footnote: hasList ? "+ only there   - only here   ~ differs" : undefined,
    isFocused: true,
    lines: hasList
      ? listLines(state, comparison, size, left, right)
      : [[], ...statusLines(state, comparison, right, textColumns(size)).map(indented)],
    select: hasList ? selectRow(comparison, count, 1, (now, cursor) => inDiff(now, { cursor })) : undefined,
    scroll: (now, by) => inDiff(now, scrollList(comparison, count, listPage(size), by)),
  };
}

function inDiff(state: State, position: Partial<Position>): State {
  return state.mode.kind === "diff" ? { ...state, mode: { ...state.mode, ...position } } : state;
}

export function differencePanel({ revealed }: State, comparison: Comparison, size: Size): PanelContent {
  const selected = comparison.phase === "ready" ? comparison.differences[comparison.cursor] : undefined;
  if (!selected) return { title: "Variable", isFocused: false, lines: [] };
  const { name, before, after } = selected;
  const change = { before: before && withoutDescription(before), after: after && withoutDescription(after) };
  const lines = editLines(change, isRevealed(revealed, name));
  const wrapped = lines.flatMap((each) => wrapLine(each, textColumns(size)));
  return { title: visibleText(name), isFocused: false, lines: wrapped.map(indented) };
}

/** Descriptions belong to the application, not to the environment. */
function withoutDescription({ type, value }: NamedValue): Assigned {
  return { type, value, description: "" };
}

function listLines(state: State, comparison: Comparison, size: Size, left: string, right: string): Line[] {
  const columns = diffColumns(size.width - 2);
  const headings = [fitText("NAME", columns.name), fitText(left, columns.left), fitText(right, columns.right)];
  const rows = rowLines(comparison.differences, comparison, listPage(size), true, (difference) =>
    cells(difference, isRevealed(state.revealed, difference.name), columns),
  );
  return [headingLine(headings), ...rows];
}

type DiffColumns = ReturnType<typeof diffColumns>;

function diffColumns(width: number) {
  const cells = width - 4 - 2 * GAP.length;
  const name = Math.min(MAX_NAME, Math.floor(cells * 0.4));
  const left = Math.floor((cells - name) / 2);
  return { name, left, right: cells - name - left };
}

function cells({ kind, name, before, after }: Difference, isShown: boolean, columns: DiffColumns): Line {
  const hasTypes = before !== undefined && after !== undefined && before.type !== after.type;
  return [
    SIGNS[kind],
    { text: cellText(name, columns.name) },
    { text: GAP },
    valueSpan(before, isShown, hasTypes, columns.left),
    { text: GAP },
    valueSpan(after, isShown, hasTypes, columns.right),
  ];
}

function valueSpan(item: NamedValue | undefined, isShown: boolean, hasType: boolean, width: number): Span {
  if (!item) return { text: fitText("(not there)", width), role: "muted" };
  const text = !isShown ? MASK : isEncrypted(item.value) ? "(encrypted)" : valueText(item.value);
  return { text: cellText(hasType ? `${item.type} ${text}` : text, width), role: isShown ? "text" : "muted" };
}

function statusLines({ places }: State, { phase, failure, place }: Comparison, other: string, width: number): Line[] {
  if (phase === "loading") return wrapLines(`reading ${other}…`, width, "muted");
  if (phase === "ready") return wrapLines("✓ no differences", width, "success");
  const { what, advice } = describePlaceFailure(places[place], failure ?? { code: "", message: `can't read ${other}` });
  return [
    ...wrapLines(`✗ ${what}`, width, "danger"),
    ...[...advice, "r tries again"].flatMap((text) => wrapLines(text, width, "muted")),
  ];
}
