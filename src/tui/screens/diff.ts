import { type Difference, diffValues } from "../../domain/differing-values.js";
import { namedValues, type VariableEntry } from "../../domain/source.js";
import { isEncrypted, isPublic, type NamedValue, textAs } from "../../domain/variable.js";
import { copyTo } from "../edit/planning.js";
import { differenceLines } from "../edit/review-text.js";
import { copyEntries } from "../reading/copying.js";
import { readPlaces } from "../reading/read.js";
import { isRevealed, unmasking } from "../reading/shown.js";
import type { Command } from "../state/command.js";
import { diffSizes, layoutOf, listPage, type Size, textColumns } from "../state/layout.js";
import { placeName, whyReadOnly } from "../state/places.js";
import type { Assigned } from "../state/ports.js";
import { readingOf } from "../state/reading.js";
import type { Revealed, State, Step } from "../state/state.js";
import { step } from "../state/work.js";
import type { DiffLines } from "../text/diff-lines.js";
import { filterWords, NO_MATCH, nameRank } from "../text/fuzzy.js";
import { visibleText, withVisibleEnd } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, type Span, wrapLines } from "../text/line.js";
import { type Filterable, openFilter } from "../view/filter.js";
import { GAP, headingLine, type PanelContent, rowLines, SIGNS, scrolledLines, selectRow } from "../view/panel.js";
import { type Act, dataOf, pop, pressCommand, push, type Screen, withData } from "../view/screen.js";
import { describeFailure } from "../view/status-lines.js";
import { PLACEHOLDERS } from "../view/values.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { keepVisible, moveCursor, type Position, scroll, scrollList, scrollText } from "../widgets/list.js";

/** The position is that in the list. */
interface Comparison extends Position {
  /** Index of the other place. */
  readonly place: number;
  /** The variables of the open place and of the other that were compared. */
  readonly open: readonly VariableEntry[];
  readonly others: readonly VariableEntry[];
  /** From the open place (`before`) to the other (`after`), by name. */
  readonly all: readonly Difference[];
  /** Those that match the filter. */
  readonly differences: readonly Difference[];
  readonly filter: string;
  readonly focus: "list" | "detail";
  /** First visible line of the detail. */
  readonly detailTop: number;
}

/** What commands do in a comparison. */
const ACTS: Readonly<Record<string, Act<Comparison>>> = {
  open: { whyNot: whyNoDifference, run: focusOther },
  "next-panel": { whyNot: whyNoDifference, run: focusOther },
  "previous-panel": { whyNot: whyNoDifference, run: focusOther },
  "next-difference": { whyNot: whyNoDifference, run: (state, comparison) => step(next(state, comparison, 1)) },
  "previous-difference": { whyNot: whyNoDifference, run: (state, comparison) => step(next(state, comparison, -1)) },
  "copy-to": { whyNot: whyNotCopy("open"), run: copyFrom("open") },
  "copy-from": { whyNot: whyNotCopy("other"), run: copyFrom("other") },
  "copy-other": { whyNot: whyNoValue("other"), run: copyOther },
  filter: { whyNot: whyNothingToFilter, run: filterDifferences },
  refresh: { whyNot: whyReading, run: (state, { place }) => readPlaces(state, [place]) },
  diff: { run: closed },
  close: { run: closed },
  back: { run: goBack },
};

const DIFF: Screen<Comparison> = {
  name: "diff",
  key: diffKey,
  body: (state, comparison, layout) => {
    const { list, detail } = diffSizes(layout, comparison.focus);
    return [
      [
        { size: list, content: diffPanel(state, comparison, list) },
        { size: detail, content: differencePanel(state, comparison, detail) },
      ],
    ];
  },
  acts: ACTS,
  selected: (state, comparison) => ({
    place: state.place,
    name: comparison.differences[comparison.cursor]?.name,
    entry: entryOf(state, comparison, "open"),
    nothing: "there is no difference",
    whyNotEdit: whyReadOnly(state, state.place),
  }),
  places: (state, { place }) => [state.place, place],
  changed: (state, comparison, place) => {
    if (place === comparison.place) return readPlaces(state, [place]);
    const other = readingOf(state, comparison.place);
    const others = other.isComplete ? other.entries : comparison.others;
    const isStale = comparison.open !== readingOf(state).entries || comparison.others !== others;
    return step(isStale ? withData(state, DIFF, withDifferences(state, { ...comparison, others })) : state);
  },
  takesQuestions: true,
};

const MAX_NAME = 32;

/** The differences between the open place and another, side by side. Only visible ones are formatted. */
function diffPanel(state: State, comparison: Comparison, size: Size): PanelContent {
  const { differences, all, filter, cursor, focus } = comparison;
  const phase = phaseOf(state, comparison);
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
  const open = dataOf(state, DIFF);
  if (!open) return state;
  const next: Comparison = { ...open, ...position, focus: "list" };
  return withData(state, DIFF, next.cursor === open.cursor ? next : { ...next, detailTop: 0 });
}

function listLines(state: State, comparison: Comparison, size: Size, left: string, right: string): Line[] {
  const columns = diffColumns(size.width - 2);
  const headings = [fitText("NAME", columns.name), fitText(left, columns.left), fitText(right, columns.right)];
  const { differences, focus } = comparison;
  const page = listPage(size);
  const position = keepVisible(comparison, differences.length, page);
  const rows = rowLines(differences, position, page, focus === "list", (difference) =>
    differenceCells(difference, isRevealed(state.revealed, difference.name), columns),
  );
  return [headingLine(headings), ...rows];
}

type DiffColumns = ReturnType<typeof diffColumns>;

function diffColumns(width: number) {
  const differenceCells = width - 4 - 2 * GAP.length;
  const name = Math.min(MAX_NAME, Math.floor(differenceCells * 0.4));
  const left = Math.floor((differenceCells - name) / 2);
  return { name, left, right: differenceCells - name - left };
}

function differenceCells({ kind, name, before, after }: Difference, isShown: boolean, columns: DiffColumns): Line {
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
  return isEncrypted(value) ? PLACEHOLDERS.encrypted : { text: withVisibleEnd(textAs(value, type)) };
}

/** Encrypted values are compared as they are. */
function phaseOf(state: State, { place }: Comparison): "loading" | "failed" | "ready" {
  const { isReading, failure } = readingOf(state, place);
  return isReading ? "loading" : failure ? "failed" : "ready";
}

function statusLines(state: State, comparison: Comparison, other: string, width: number): Line[] {
  const { place, all } = comparison;
  const phase = phaseOf(state, comparison);
  if (phase === "loading") return wrapLines(`reading ${other}…`, width, "muted");
  if (phase === "ready") {
    if (all.length === 0) return wrapLines("✓ no differences", width, "success");
    return wrapLines("no name matches the filter; Esc removes it", width, "muted");
  }
  const { what, advice } = describeFailure(
    state,
    place,
    readingOf(state, place).failure ?? { code: "", message: `can't read ${other}` },
  );
  return [
    ...wrapLines(`✗ ${what}`, width, "danger"),
    ...[...advice, "r tries again"].flatMap((text) => wrapLines(text, width, "muted")),
  ];
}

/** Both values of the difference under the cursor, as a diff. */
function differencePanel(state: State, comparison: Comparison, size: Size): PanelContent {
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
  const open = dataOf(state, DIFF);
  return open ? withData(state, DIFF, { ...open, ...change, focus: "detail" }) : state;
}

/** Lines of the detail that are visible. */
function detailPage({ height }: Size): number {
  return height - 2;
}

interface ShownDiff extends DiffLines {
  readonly difference: Difference;
  readonly width: number;
}

/** The last detail: comparing long values takes time. Kept only while values are revealed, as nothing else holds the key. */
const lastShown = new WeakMap<Revealed, ShownDiff>();

function differenceDetail({ revealed }: State, { differences, cursor }: Comparison, size: Size): DiffLines {
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

export function openDiff(state: State, place: number): Step {
  const nothing = { open: [], others: [], all: [], differences: [], filter: "" };
  const opened = push(state, DIFF, { place, ...nothing, focus: "list", detailTop: 0, cursor: 0, top: 0 });
  return readPlaces(opened, [place]);
}

function closed(state: State): Step {
  return step(pop(state));
}

function withDifferences(state: State, comparison: Comparison): Comparison {
  const { entries: open } = readingOf(state);
  if (!readingOf(state, comparison.place).isComplete) return { ...comparison, open };
  const valuesOf = (entries: readonly VariableEntry[]) =>
    namedValues(entries).map((each) => ({ ...each, rules: unmasking(state, each.rules) }));
  const all = diffValues(valuesOf(open), valuesOf(comparison.others));
  return filtered(state, { ...comparison, open, all }, comparison.filter);
}

/** The differences that match the filter. The cursor stays on its variable if possible. */
function filtered(state: State, comparison: Comparison, filter: string): Comparison {
  const name = comparison.differences[comparison.cursor]?.name;
  const differences = matching(comparison.all, filter);
  const found = differences.findIndex((difference) => difference.name === name);
  return withCursor(state, { ...comparison, filter, differences }, found < 0 ? comparison.cursor : found, found >= 0);
}

/** The cursor moved to an index, or to the nearest one. @param isSame whether that is the same variable as before */
function withCursor(state: State, comparison: Comparison, cursor: number, isSame: boolean): Comparison {
  const page = listPage(diffSizes(layoutOf(state), comparison.focus).list);
  const position = keepVisible({ cursor, top: comparison.top }, comparison.differences.length, page);
  return { ...comparison, ...position, detailTop: isSame ? comparison.detailTop : 0 };
}

/** The best matches come first. */
function matching(all: readonly Difference[], filter: string): readonly Difference[] {
  const words = filterWords(filter);
  if (words.length === 0) return all;
  const ranked: Difference[][] = Array.from({ length: NO_MATCH }, () => []);
  for (const difference of all) {
    const name = difference.name.toLowerCase();
    ranked[Math.max(...words.map((word) => nameRank(word, name)))]?.push(difference);
  }
  return ranked.flat();
}

function diffKey(state: State, comparison: Comparison, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  return pressCommand(state, name, commands) ?? step(move(state, comparison, name));
}

function whyNothingToFilter(_state: State, { all }: Comparison): string | undefined {
  return all.length > 0 ? undefined : "there is no difference";
}

function whyReading(state: State, comparison: Comparison): string | undefined {
  return phaseOf(state, comparison) === "loading" ? "still reading" : undefined;
}

function goBack(state: State, comparison: Comparison): Step {
  if (comparison.focus === "detail") return focusOther(state, comparison);
  return comparison.filter === "" ? closed(state) : step(withData(state, DIFF, filtered(state, comparison, "")));
}

function focusOther(state: State, comparison: Comparison): Step {
  const focus = comparison.focus === "list" ? "detail" : "list";
  return step(withData(state, DIFF, withCursor(state, { ...comparison, focus }, comparison.cursor, true)));
}

/** Moves in the list or in the detail. */
function move(state: State, comparison: Comparison, key: string): State {
  const { differences, focus, cursor, detailTop } = comparison;
  const { list, detail } = diffSizes(layoutOf(state), focus);
  if (focus === "detail") {
    const { lines } = differenceDetail(state, comparison, detail);
    const top = scroll(detailTop, lines.length, detailPage(detail), key);
    return top === undefined ? state : withData(state, DIFF, { ...comparison, detailTop: top });
  }
  const moved = moveCursor(comparison, differences.length, listPage(list), key);
  if (!moved) return state;
  const isSame = moved.cursor === cursor;
  return withData(state, DIFF, withCursor(state, { ...comparison, top: moved.top }, moved.cursor, isSame));
}

/** To the next difference of the list, or the next change of the detail. */
function next(state: State, comparison: Comparison, by: 1 | -1): State {
  const { focus, detailTop } = comparison;
  if (focus === "list") return move(state, comparison, by === 1 ? "down" : "up");
  const { changes } = differenceDetail(state, comparison, diffSizes(layoutOf(state), focus).detail);
  const top = by === 1 ? changes.find((index) => index > detailTop) : changes.findLast((index) => index < detailTop);
  return top === undefined ? state : withData(state, DIFF, { ...comparison, detailTop: top });
}

function filterDifferences(state: State, comparison: Comparison): Step {
  return openFilter(withData(state, DIFF, { ...comparison, focus: "list" }), comparison.filter, filterable(comparison));
}

/** The differences while their filter is typed: the best match is the first one. @param before those to go back to */
const filterable = ({ differences: before, cursor, top, filter: filterBefore }: Comparison): Filterable => ({
  apply: (state, filter) => {
    return onComparison(state, (comparison) => {
      const from = { ...comparison, differences: [], cursor: 0, top: 0 };
      return withData(state, DIFF, filtered(state, from, filter));
    });
  },
  cancel: (state) => {
    return onComparison(state, (comparison) => {
      const from = { ...comparison, differences: before, cursor, top };
      return withData(state, DIFF, filtered(state, from, filterBefore));
    });
  },
  move: (state, key) => onComparison(state, (comparison) => move(state, comparison, key)),
  counts: (state) => {
    const { differences = [], all = [] } = dataOf(state, DIFF) ?? {};
    return [differences.length, all.length];
  },
});

function onComparison(state: State, change: (comparison: Comparison) => State): Step {
  const comparison = dataOf(state, DIFF);
  return step(comparison ? change(comparison) : state);
}

type Run = Act<Comparison>["run"];
type WhyNot = NonNullable<Act<Comparison>["whyNot"]>;
type Side = "open" | "other";

/** Indexes of the place on a side, and of the one across. */
function placesOf(state: State, { place }: Comparison, side: Side): readonly [own: number, across: number] {
  return side === "open" ? [state.place, place] : [place, state.place];
}

/** The variable under the cursor, in the place on a side. */
function entryOf(state: State, { differences, cursor, others }: Comparison, side: Side): VariableEntry | undefined {
  const name = differences[cursor]?.name;
  return (side === "open" ? readingOf(state).entries : others).find(({ variable }) => variable.name === name);
}

function copyOther(state: State, comparison: Comparison): Step {
  const entry = entryOf(state, comparison, "other");
  return entry ? copyEntries(state, comparison.place, [entry], "value") : step(state);
}

function copyFrom(side: Side): Run {
  return (state, comparison) => {
    const entry = entryOf(state, comparison, side);
    return entry ? copyTo(state, [entry], [placesOf(state, comparison, side)[1]]) : step(state);
  };
}

function whyNoDifference(_state: State, { differences }: Comparison): string | undefined {
  return differences.length > 0 ? undefined : "there is no difference";
}

function whyNoValue(side: Side): WhyNot {
  return (state, comparison) => {
    const { name, before, after } = comparison.differences[comparison.cursor] ?? {};
    if (name === undefined) return whyNoDifference(state, comparison);
    return (side === "open" ? before : after)
      ? undefined
      : noValueText(state, name, placesOf(state, comparison, side)[0]);
  };
}

function whyNotCopy(side: Side): WhyNot {
  return (state, comparison) =>
    whyNoValue(side)(state, comparison) ?? whyReadOnly(state, placesOf(state, comparison, side)[1]);
}

function noValueText(state: State, name: string, place: number): string {
  return `${name} has no value in ${placeName(state, place)}`;
}
