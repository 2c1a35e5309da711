import type { Difference } from "../../domain/differing-values.js";
import { isEncrypted, isPublic, type NamedValue, textAs } from "../../domain/variable.js";
import { isRevealed } from "../browse/reveal.js";
import { keepVisible, type Position, scrollList } from "../state/cursor.js";
import { listPage, type Size, textColumns } from "../state/layout.js";
import type { Comparison } from "../state/modes.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, selectRow } from "./panel-content.js";
import { placeName } from "./places-panel.js";
import { describePlaceFailure } from "./status-lines.js";
import { PLACEHOLDERS } from "./value-lines.js";

const MAX_NAME = 32;

/** The differences between the open place and another, side by side. Only visible ones are formatted. */
export function diffPanel(state: State, comparison: Comparison, size: Size): PanelContent {
  const { phase, differences, all, filter, cursor, focus } = comparison;
  const [left, right] = [placeName(state, state.place), placeName(state, comparison.place)];
  const isKnown = phase === "ready" || (phase === "loading" && all.length > 0);
  const position = differences.length > 0 ? `  ${countText(cursor + 1)}/${countText(differences.length)}` : "";
  const filtered = filter === "" ? "" : `  /${visibleText(filter)}`;
  const hint = phase === "loading" ? `reading ${right}…` : "+ only there   - only here   ~ differs";
  const visible = keepVisible(comparison, differences.length, listPage(size));
  const hasList = isKnown && differences.length > 0;
  return {
    title: `${left} → ${right}${isKnown ? `${position}${filtered}` : ""}`,
    footnote: hasList ? hint : undefined,
    isFocused: focus === "list",
    lines: hasList
      ? listLines(state, comparison, size, left, right)
      : [[], ...statusLines(state, comparison, right, textColumns(size)).map(indented)],
    select: hasList ? selectRow(visible, differences.length, 1, (now, at) => onRow(now, { cursor: at })) : undefined,
    scroll: (now, by) => onRow(now, scrollList(visible, differences.length, listPage(size), by)),
  };
}

/** The list with the focus, after a click or the wheel. */
function onRow(state: State, position: Partial<Position>): State {
  const { mode } = state;
  if (mode.kind !== "diff") return state;
  const next: Comparison = { ...mode, ...position, focus: "list" };
  return { ...state, mode: next.cursor === mode.cursor ? next : { ...next, detailTop: 0 } };
}

function listLines(state: State, comparison: Comparison, size: Size, left: string, right: string): Line[] {
  const columns = diffColumns(size.width - 2);
  const headings = [fitText("NAME", columns.name), fitText(left, columns.left), fitText(right, columns.right)];
  const { differences, focus } = comparison;
  const page = listPage(size);
  const position = keepVisible(comparison, differences.length, page);
  const rows = rowLines(differences, position, page, focus === "list", (difference) =>
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
  if (!item) return { text: fitText("(missing)", width), role: "muted" };
  const { text, role = "text" } = isShown || isPublic(item.rules) ? shownSpan(item) : PLACEHOLDERS.masked;
  return { text: cellText(hasType ? `${item.type} ${text}` : text, width), role };
}

function shownSpan({ type, value }: NamedValue): Span {
  if (value === "" && type !== "JSON") return PLACEHOLDERS.shown;
  return isEncrypted(value) ? PLACEHOLDERS.encrypted : { text: textAs(value, type) };
}

function statusLines(state: State, { phase, failure, place, all }: Comparison, other: string, width: number): Line[] {
  if (phase === "loading") return wrapLines(`reading ${other}…`, width, "muted");
  if (phase === "ready") {
    if (all.length === 0) return wrapLines("✓ no differences", width, "success");
    return wrapLines("no difference matches the filter; Esc removes it", width, "muted");
  }
  const { what, advice } = describePlaceFailure(state, place, failure ?? { code: "", message: `can't read ${other}` });
  return [
    ...wrapLines(`✗ ${what}`, width, "danger"),
    ...[...advice, "r tries again"].flatMap((text) => wrapLines(text, width, "muted")),
  ];
}
