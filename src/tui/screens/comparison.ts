import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { contentOf, copyTo } from "../edit/planning.js";
import { differenceLines } from "../edit/variable-diff.js";
import { refresh, requestReads } from "../reading/polling.js";
import { actsOnMarked, gridOf, targetsOf, whyNoName } from "../stack/grid.js";
import { GAP, type PanelContent, scrolledLines } from "../stack/panel.js";
import { changeData, pop, push, type Screen } from "../stack/screen.js";
import { diffSizes, layoutOf, listPage, type Size, textColumns } from "../state/layout.js";
import { memoized } from "../state/memoized.js";
import { placeName, whyReadOnly } from "../state/places.js";
import { readingOf } from "../state/readings.js";
import { INITIAL_VIEW, type State, type View } from "../state/state.js";
import { copyEntries } from "../table/copying.js";
import { displayRules, isRevealed } from "../table/reveal.js";
import { kindOf, type Table } from "../table/table.js";
import type { DiffLines } from "../text/diff-lines.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, type Line, line, type Span } from "../text/line.js";
import { statusLine } from "../view/status-lines.js";
import { clearing, moveRows, nameColumn, SIGNS, tablePanel } from "../view/table-panel.js";
import { KINDS, valueCell } from "../view/values.js";
import { scrollBy, scrollByKey } from "../widgets/list.js";
import { openCopyTo } from "./place-menus.js";

/** Compares the open place with another. Lists the variables that are not equal. */
interface Comparison extends View {
  /** The other place. */
  readonly place: number;
  readonly focus: "list" | "detail";
}

const FOCUS_OTHER = { whyNot: whyNoName, run: focusOther };

const DIFF: Screen<Comparison> = {
  name: "diff",
  body: (state, comparison, layout) => {
    const { list, detail } = diffSizes(layout, comparison.focus);
    return [
      { size: list, content: diffPanel(state, comparison, list) },
      { size: detail, content: detailPanel(state, comparison, detail) },
    ];
  },
  handlers: {
    open: FOCUS_OTHER,
    "next-panel": FOCUS_OTHER,
    "previous-panel": FOCUS_OTHER,
    "next-difference": {
      whyNot: whyNoName,
      run: (state, comparison) => next(state, comparison, 1),
    },
    "previous-difference": {
      whyNot: whyNoName,
      run: (state, comparison) => next(state, comparison, -1),
    },
    "copy-to": {
      whyNot: (state, { place }) => whyNoValue(state, state.place) ?? whyReadOnly(state, place),
      run: (state, { place }) =>
        actsOnMarked(state)
          ? openCopyTo(state, targetsOf(state, state.place), state.place, [place])
          : copyTo(state, targetsOf(state, state.place), [place]),
    },
    "copy-from": {
      whyNot: (state, { place }) => whyNoValue(state, place) ?? whyReadOnly(state, state.place),
      run: (state, { place }) => copyTo(state, targetsOf(state, place), [state.place]),
    },
    "copy-other": {
      whyNot: (state, { place }) => whyNoValue(state, place),
      run: (state, { place }) => copyEntries(state, place, targetsOf(state, place), "value"),
    },
    refresh: { run: (state, { place }) => refresh(state, [place]) },
    diff: { run: (state) => pop(state) },
    back: { run: leave },
  },
  table: {
    places: (state, { place }) => [state.place, place],
    page: (state, { focus }) => listPage(diffSizes(layoutOf(state), focus).list),
    place: ({ place }) => place,
  },
  move: (state, comparison, key) =>
    comparison.focus === "detail" ? moveDetail(state, key) : undefined,
  places: (state, { place }) => [state.place, place],
};

export function openDiff(state: State, place: number): State {
  const view: View = {
    ...INITIAL_VIEW,
    name: gridOf(state).name ?? "",
    rowFilter: "unequal",
    sort: "name",
  };
  return requestReads(push({ ...state, recordTop: 0 }, DIFF, { ...view, place, focus: "list" }), [
    place,
  ]);
}

const MAX_NAME = 32;

function diffPanel(state: State, comparison: Comparison, size: Size): PanelContent {
  const { place, focus } = comparison;
  const { isReading } = readingOf(state, place);
  const labels = [placeName(state, state.place), placeName(state, place)];
  const isEmpty = gridOf(state).rows.length === 0;
  const room = size.width - 6 - 2 * GAP.length;
  const name = Math.min(MAX_NAME, Math.floor(room * 0.4));
  const left = Math.floor((room - name) / 2);
  const values = [left, room - name - left].map((width, index) => ({
    heading: { text: labels[index] ?? "" },
    width,
    cell: (row: number): Line => [sideCell(state, entriesOf(state, row), index, width)],
  }));
  const hint = isReading
    ? `reading ${labels[1]}…`
    : "+ only there   - only here   ~ differs   * encrypted";
  return {
    ...tablePanel(state, size, {
      title: `${labels.join(" → ")}  `,
      columns: [nameColumn(state, name), ...values],
      problem: isEmpty ? undefined : (statusLine(state, place) ?? statusLine(state)),
      none: line("✓ no differences", "success"),
      sign: (row) => differenceSign(entriesOf(state, row)),
      isFocused: focus === "list",
      onColumn: (now) => withFocus(now, "list"),
    }),
    footnote: isEmpty ? undefined : hint,
  };
}

/** The entries of a row in both places, `undefined` without a value. */
type Sides = readonly [open: VariableEntry | undefined, other: VariableEntry | undefined];

function entriesOf(state: State, row: number): Sides {
  const [open, other] = gridOf(state).table.columns.map(({ cells }) =>
    cells[row]?.value ? cells[row] : undefined,
  );
  return [open, other];
}

function differenceSign([open, other]: Sides): Span {
  if (kindOf(open, other) === "encrypted") return KINDS.encrypted;
  return SIGNS[!open ? "added" : other ? "changed" : "removed"];
}

function sideCell(state: State, sides: Sides, index: number, width: number): Span {
  const [open, other] = sides;
  const entry = sides[index];
  if (!entry) return { text: cellText("(missing)", width), role: "muted" };
  const hasType = open && other && open.variable.type !== other.variable.type;
  return valueCell(state, entry, width, hasType ? `${entry.variable.type} ` : "");
}

function detailPanel(state: State, comparison: Comparison, size: Size): PanelContent {
  const { focus } = comparison;
  const { name } = gridOf(state);
  const { lines, changes } = differenceDetail(state);
  const page = size.height - 2;
  const top = state.recordTop;
  const before = changes.filter((index) => index <= top).length;
  const position =
    focus === "detail" && changes.length > 1
      ? `  change ${Math.max(1, before)}/${changes.length}`
      : "";
  return {
    ...scrolledLines(lines, top, page),
    title: name === undefined ? "Variable" : `${visibleText(name)}${position}`,
    isFocused: focus === "detail",
    select: (now) => withFocus(now, "detail"),
    scroll: (now, by) => ({ ...now, recordTop: scrollBy(top, lines.length, page, by) }),
  };
}

function withFocus(state: State, focus: Comparison["focus"]): State {
  return changeData(state, DIFF, (comparison) => ({ ...comparison, focus }));
}

const differences = memoized<Table, DiffLines>();

function differenceDetail(state: State): DiffLines {
  const { table, row, name } = gridOf(state);
  if (name === undefined) return { lines: [], changes: [] };
  const width = textColumns(layoutOf(state).body);
  const isShown = isRevealed(state.revealed, name);
  return differences(table, [row, width, isShown], () => {
    const sides = entriesOf(state, row);
    // Descriptions belong to the application, not to the environment.
    const [before, after] = sides.map(
      (entry) => entry && displayRules(state, { ...contentOf(entry), description: "" }),
    );
    return differenceLines({ before, after }, isShown, width);
  });
}

function focusOther(state: State, { focus }: Comparison): State {
  return withFocus(state, focus === "list" ? "detail" : "list");
}

function leave(state: State, comparison: Comparison): State {
  return comparison.focus === "detail"
    ? focusOther(state, comparison)
    : (clearing(state)?.cleared ?? pop(state));
}

function moveDetail(state: State, key: string): State {
  const { detail } = diffSizes(layoutOf(state), "detail");
  const { lines } = differenceDetail(state);
  const recordTop = scrollByKey(state.recordTop, lines.length, detail.height - 2, key);
  return { ...state, recordTop };
}

function next(state: State, comparison: Comparison, by: 1 | -1): State {
  if (comparison.focus === "list") return moveRows(state, by === 1 ? "down" : "up");
  const { changes } = differenceDetail(state);
  const { recordTop: from } = state;
  const top =
    by === 1 ? changes.find((index) => index > from) : changes.findLast((index) => index < from);
  return { ...state, recordTop: top ?? from };
}

function whyNoValue(state: State, place: number): string | undefined {
  const { name } = gridOf(state);
  if (targetsOf(state, place).some(({ value }) => value)) return undefined;
  return whyNoName(state) ?? `${name} has no value in ${placeName(state, place)}`;
}
