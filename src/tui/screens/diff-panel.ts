import type { Difference } from "../../domain/differing-values.js";
import { isEncrypted, isPublic, type NamedValue, textAs } from "../../domain/variable.js";
import { isRevealed } from "../reading/reveal.js";
import { listPage, type Size, textColumns } from "../state/layout.js";
import type { Comparison } from "../state/modes.js";
import { placeName } from "../state/places.js";
import type { Assigned } from "../state/ports.js";
import type { Revealed, State } from "../state/state.js";
import type { DiffLines } from "../text/diff-lines.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { differenceLines } from "../view/edit-lines.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, scrolledLines, selectRow } from "../view/panel.js";
import { describePlaceFailure } from "../view/status-lines.js";
import { PLACEHOLDERS } from "../view/values.js";
import { keepVisible, type Position, scrollList, scrollText } from "../widgets/list.js";

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

/** Both values of the difference under the cursor, as a diff. */
export function differencePanel(state: State, comparison: Comparison, size: Size): PanelContent {
  const { cursor, differences, detailTop, focus } = comparison;
  const selected = differences[cursor];
  const { lines, changes } = differenceDetail(state, comparison, size);
  const before = changes.filter((index) => index <= detailTop).length;
  const position = focus === "detail" && changes.length > 1 ? `  change ${Math.max(1, before)}/${changes.length}` : "";
  return {
    ...scrolledLines(lines, detailTop, detailPage(size)),
    title: selected ? `${visibleText(selected.name)}${position}` : "Variable",
    isFocused: focus === "detail",
    select: (now) => inDetail(now, {}),
    scroll: (now, by) => inDetail(now, { detailTop: scrollText(detailTop, lines.length, detailPage(size), by) }),
  };
}

/** The detail with the focus, after a click or the wheel. */
function inDetail(state: State, change: Partial<Comparison>): State {
  return state.mode.kind === "diff" ? { ...state, mode: { ...state.mode, ...change, focus: "detail" } } : state;
}

/** Lines of the detail that are visible. */
export function detailPage({ height }: Size): number {
  return height - 2;
}

interface Shown extends DiffLines {
  readonly difference: Difference;
  readonly width: number;
}

/** The last detail: comparing long values takes time. Kept only while values are revealed, as nothing else holds the key. */
const lastShown = new WeakMap<Revealed, Shown>();

export function differenceDetail({ revealed }: State, { differences, cursor }: Comparison, size: Size): DiffLines {
  const difference = differences[cursor];
  if (!difference) return { lines: [], changes: [] };
  const width = textColumns(size);
  const { name, before, after } = difference;
  const sides = { before: before && withoutDescription(before), after: after && withoutDescription(after) };
  if (!revealed || !isRevealed(revealed, name)) return differenceLines(sides, false, width);
  const last = lastShown.get(revealed);
  if (last && last.difference === difference && last.width === width) return last;
  const shown = { ...differenceLines(sides, true, width), difference, width };
  lastShown.set(revealed, shown);
  return shown;
}

/** Descriptions belong to the application, not to the environment. */
function withoutDescription({ type, value, rules }: NamedValue): Assigned {
  return { ...rules, type, value, description: "" };
}
