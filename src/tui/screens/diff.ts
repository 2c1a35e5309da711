import { type Difference, diffValues } from "../../domain/differing-values.js";
import { namedValues, type VariableEntry } from "../../domain/source.js";
import { openEditor, openForm } from "../edit/form.js";
import { confirmRedo, confirmUndo, whyNoRedo, whyNoUndo } from "../edit/review.js";
import { withRetryTime } from "../reading/others.js";
import { toggleAllRevealed, toggleRevealed } from "../reading/reveal.js";
import { type ModeKey, runKey } from "../state/command.js";
import { diffSizes, layoutOf, listPage } from "../state/layout.js";
import type { Failure } from "../state/loaded.js";
import { type Step, step } from "../state/messages.js";
import type { Comparison, Mode } from "../state/modes.js";
import { placeName } from "../state/places.js";
import { backToBrowse, type State } from "../state/state.js";
import { matchRank, NO_MATCH, searchWords } from "../text/fuzzy.js";
import { filterKeyed } from "../widgets/filter.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { keepVisible, moveCursor, scroll } from "../widgets/list.js";
import { textField } from "../widgets/text-field.js";
import { openCommandLine } from "./command-line.js";
import { detailPage, differenceDetail } from "./diff-panel.js";
import { openHelp } from "./help.js";
import { takeOver, whyReadOnly } from "./places.js";

export function openDiff(state: State, place: number): Step {
  return compare(state, {
    kind: "diff",
    place,
    phase: "loading",
    isEditable: false,
    open: [],
    others: [],
    all: [],
    differences: [],
    filter: "",
    focus: "list",
    detailTop: 0,
    cursor: 0,
    top: 0,
  });
}

/** Reads the other place, again if it was read before. */
function compare(state: State, comparison: Comparison): Step {
  const mode: Comparison = { ...comparison, phase: "loading", failure: undefined };
  return step({ ...state, mode }, { type: "compare", place: comparison.place });
}

/** Effects after an edit of the other place: unlike the open one, it has to be read again for the comparison. */
export function readAfterEdit({ writing }: State, [state, effects]: Step): Step {
  const { mode } = state;
  if (mode.kind !== "diff" || mode.place !== writing?.place) return [state, effects];
  const [next, reads] = compare(state, mode);
  return [next, [...effects, ...reads]];
}

/**
 * Handles the variables of the other place. Encrypted values are compared as they are.
 *
 * @param asOf when they were read
 */
export function compared(
  state: State,
  place: number,
  others: readonly VariableEntry[],
  isEditable: boolean,
  asOf?: number,
): State {
  const change = { phase: "ready", failure: undefined, isEditable, others, asOf } as const;
  return ofComparison(state, place, (now, comparison) => withDifferences(now, { ...comparison, ...change }));
}

/** Handles a failure to read the other place. */
export function notCompared(state: State, place: number, failure: Failure): State {
  return ofComparison(state, place, (now, comparison) => {
    return { ...now, mode: { ...comparison, phase: "failed", failure: withRetryTime(failure, now.now) } };
  });
}

/** Changes the comparison with a place, which a question may cover. Without one, the answer is a late one: it is dropped. */
function ofComparison(state: State, place: number, change: (state: State, comparison: Comparison) => State): State {
  const { mode } = state;
  if (mode.kind === "diff") return mode.place === place ? change(state, mode) : state;
  if (!("back" in mode) || !mode.back) return state;
  const { mode: back } = ofComparison({ ...state, mode: mode.back }, place, change);
  return back === mode.back ? state : { ...state, mode: { ...mode, back } as Mode };
}

/** A comparison with the present variables of the open place. */
export function comparedAgain(state: State): State {
  const { mode, loaded } = state;
  if (mode.kind !== "diff" || mode.phase !== "ready" || mode.open === loaded.entries) return state;
  return withDifferences(state, mode);
}

function withDifferences(state: State, comparison: Comparison): State {
  const { entries: open } = state.loaded;
  const all = diffValues(namedValues(open), namedValues(comparison.others));
  return filtered(state, { ...comparison, open, all }, comparison.filter);
}

/** The differences that match the filter. The cursor stays on its variable if possible. */
function filtered(state: State, comparison: Comparison, filter: string): State {
  const name = comparison.differences[comparison.cursor]?.name;
  const differences = matching(comparison.all, filter);
  const found = differences.findIndex((difference) => difference.name === name);
  return withCursor(state, { ...comparison, filter, differences }, found < 0 ? comparison.cursor : found, found >= 0);
}

/** The cursor moved to an index, or to the nearest one. @param isSame whether that is the same variable as before */
function withCursor(state: State, comparison: Comparison, cursor: number, isSame: boolean): State {
  const page = listPage(diffSizes(layoutOf(state), comparison.focus).list);
  const position = keepVisible({ cursor, top: comparison.top }, comparison.differences.length, page);
  return { ...state, mode: { ...comparison, ...position, detailTop: isSame ? comparison.detailTop : 0 } };
}

/** The best matches come first. */
function matching(all: readonly Difference[], filter: string): readonly Difference[] {
  const words = searchWords(filter);
  if (words.length === 0) return all;
  const ranked: Difference[][] = Array.from({ length: NO_MATCH }, () => []);
  for (const difference of all) {
    const name = difference.name.toLowerCase();
    ranked[Math.max(...words.map((word) => matchRank(word, name)))]?.push(difference);
  }
  return ranked.flat();
}

export function diffKey(state: State, comparison: Comparison, key: Key): Step {
  if (comparison.typing) return step(filterKey(state, comparison, comparison.typing, key));
  const name = commandKeyName(key);
  return runKey(DIFF_KEYS, state, comparison, name) ?? step(move(state, comparison, name));
}

/** In the order of the footer. */
export const DIFF_KEYS: readonly ModeKey<Comparison>[] = [
  {
    keys: "tab shift-tab enter",
    help: "go to the values and back to the list",
    label: "panel",
    whyNot: whyNoDifference,
    run: focusOther,
  },
  {
    keys: "v",
    help: "show both values for 30 seconds, or mask them again",
    label: "reveal",
    whyNot: whyNoDifference,
    run: (state, { differences, cursor }) => step(toggleRevealed(state, differences[cursor]?.name ?? "")),
  },
  {
    keys: "V",
    help: "show all values for a minute, or mask them again",
    run: (state) => step(toggleAllRevealed(state)),
  },
  {
    keys: "n",
    help: "go to the next difference, or in the values to the next change",
    label: "next",
    whyNot: whyNoDifference,
    run: (state, comparison) => step(next(state, comparison, 1)),
  },
  {
    keys: "N",
    help: "go to the previous one",
    whyNot: whyNoDifference,
    run: (state, comparison) => step(next(state, comparison, -1)),
  },
  {
    keys: ">",
    help: "take the value of the left side over to the right one",
    label: "take over",
    whyNot: whyNotTakeOver("open"),
    run: takeOverFrom("open"),
  },
  {
    keys: "<",
    help: "take the value of the right side over to the left one",
    label: "take from there",
    whyNot: whyNotTakeOver("other"),
    run: takeOverFrom("other"),
  },
  {
    keys: "e",
    help: "edit the value of the left side",
    label: "edit",
    whyNot: whyNotEdit,
    run: onEntry("open", (state, entry, back) => openForm(state, "edit", entry, { back })),
  },
  { keys: "E", help: "edit it in your own editor", whyNot: whyNotEdit, run: onEntry("open", openEditor) },
  { keys: "y", help: "copy the value of the left side", label: "copy", whyNot: whyNoValue("open"), run: copy("open") },
  {
    keys: "Y",
    help: "copy the value of the right side",
    label: "copy the other",
    whyNot: whyNoValue("other"),
    run: copy("other"),
  },
  { keys: "/", help: "search names", label: "filter", whyNot: whyNothingToFilter, run: openFilter },
  { keys: "u", help: "undo the last edit", label: "undo", whyNot: whyNoUndo, run: confirmUndo },
  { keys: "U", help: "redo the edit that was undone last", whyNot: whyNoRedo, run: confirmRedo },
  { keys: "r", help: "read the other place again", label: "refresh", whyNot: whyReading, run: compare },
  { keys: "q d", help: "close the comparison", run: (state) => step(backToBrowse(state)) },
  { keys: "?", help: "show these keys", run: (state) => openHelp(state, DIFF_KEYS) },
  { keys: ":", help: "type a command, which acts on the list of variables", run: (state) => openCommandLine(state) },
  {
    keys: "escape",
    help: "go back to the list, remove the filter, or close the comparison",
    label: "back",
    run: goBack,
  },
];

function whyNothingToFilter(_state: State, { all }: Comparison): string | undefined {
  return all.length > 0 ? undefined : "there is no difference";
}

function whyReading(_state: State, { phase }: Comparison): string | undefined {
  return phase === "loading" ? "still reading" : undefined;
}

function goBack(state: State, comparison: Comparison): Step {
  if (comparison.focus === "detail") return focusOther(state, comparison);
  return step(comparison.filter === "" ? backToBrowse(state) : filtered(state, comparison, ""));
}

function focusOther(state: State, comparison: Comparison): Step {
  const focus = comparison.focus === "list" ? "detail" : "list";
  return step(withCursor(state, { ...comparison, focus }, comparison.cursor, true));
}

/** Moves in the list or in the detail. */
function move(state: State, comparison: Comparison, key: string): State {
  const { differences, focus, cursor, detailTop } = comparison;
  const { list, detail } = diffSizes(layoutOf(state), focus);
  if (focus === "detail") {
    const { lines } = differenceDetail(state, comparison, detail);
    const top = scroll(detailTop, lines.length, detailPage(detail), key);
    return top === undefined ? state : { ...state, mode: { ...comparison, detailTop: top } };
  }
  const moved = moveCursor(comparison, differences.length, listPage(list), key);
  return moved ? withCursor(state, { ...comparison, top: moved.top }, moved.cursor, moved.cursor === cursor) : state;
}

/** To the next difference of the list, or the next change of the detail. */
function next(state: State, comparison: Comparison, by: 1 | -1): State {
  const { focus, detailTop } = comparison;
  if (focus === "list") return move(state, comparison, by === 1 ? "down" : "up");
  const { changes } = differenceDetail(state, comparison, diffSizes(layoutOf(state), focus).detail);
  const top = by === 1 ? changes.find((index) => index > detailTop) : changes.findLast((index) => index < detailTop);
  return top === undefined ? state : { ...state, mode: { ...comparison, detailTop: top } };
}

function openFilter(state: State, comparison: Comparison): Step {
  const { filter } = comparison;
  return step({
    ...state,
    mode: { ...comparison, focus: "list", typing: { field: textField(filter), before: filter } },
  });
}

/** The list follows the filter with each key. */
function filterKey(state: State, comparison: Comparison, typing: NonNullable<Comparison["typing"]>, key: Key): State {
  const done: Comparison = { ...comparison, typing: undefined };
  return filterKeyed(typing.field, key, {
    keep: () => ({ ...state, mode: done }),
    restore: () => filtered(state, done, typing.before),
    move: (name) => move(state, comparison, name),
    edit: (field, isChanged) => {
      const typed: Comparison = { ...comparison, typing: { ...typing, field } };
      if (!isChanged) return { ...state, mode: typed };
      // The best match is the first one.
      return filtered(state, { ...typed, differences: [], cursor: 0, top: 0 }, field.text);
    },
  });
}

type Run = ModeKey<Comparison>["run"];
type WhyNot = NonNullable<ModeKey<Comparison>["whyNot"]>;
type Side = "open" | "other";

/** Indexes of the place on a side, and of the one across. */
function placesOf(state: State, { place }: Comparison, side: Side): readonly [own: number, across: number] {
  return side === "open" ? [state.place, place] : [place, state.place];
}

/** The variable under the cursor, in the place on a side. */
function entryOf(state: State, { differences, cursor, others }: Comparison, side: Side): VariableEntry | undefined {
  const name = differences[cursor]?.name;
  return (side === "open" ? state.loaded.entries : others).find(({ variable }) => variable.name === name);
}

/** Runs something with the variable under the cursor. */
function onEntry(side: Side, run: (state: State, entry: VariableEntry, comparison: Comparison) => Step): Run {
  return (state, comparison) => {
    const entry = entryOf(state, comparison, side);
    return entry ? run(state, entry, comparison) : step(state);
  };
}

function copy(side: Side): Run {
  return onEntry(side, (state, entry, comparison) => {
    const [place] = placesOf(state, comparison, side);
    return step(state, { type: "copy", place, entries: [entry], format: "value" });
  });
}

function takeOverFrom(side: Side): Run {
  return onEntry(side, (state, entry, comparison) => takeOver(state, [entry], placesOf(state, comparison, side)[1]));
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

function whyNotTakeOver(side: Side): WhyNot {
  return (state, comparison) =>
    whyNoValue(side)(state, comparison) ?? whyReadOnly(state, placesOf(state, comparison, side)[1]);
}

/** A variable without a value can be edited. */
function whyNotEdit(state: State, comparison: Comparison): string | undefined {
  const name = comparison.differences[comparison.cursor]?.name;
  if (name === undefined) return whyNoDifference(state, comparison);
  const refusal = whyReadOnly(state, state.place);
  if (refusal !== undefined || entryOf(state, comparison, "open")) return refusal;
  return noValueText(state, name, state.place);
}

function noValueText(state: State, name: string, place: number): string {
  return `${name} has no value in ${placeName(state, place)}`;
}
