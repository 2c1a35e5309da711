import type { Difference } from "../../domain/differing-values.js";
import type { NamedValue } from "../../domain/variable.js";
import { isRevealed } from "../browse/reveal.js";
import { scrollText } from "../state/cursor.js";
import { type Size, textColumns } from "../state/layout.js";
import type { Comparison } from "../state/modes.js";
import type { Assigned } from "../state/ports.js";
import type { Revealed, State } from "../state/state.js";
import type { DiffLines } from "../text/diff-lines.js";
import { visibleText } from "../text/graphemes.js";
import { differenceLines } from "./edit-lines.js";
import { type PanelContent, scrolledLines } from "./panel-content.js";

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
