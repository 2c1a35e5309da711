import { toggleAllRevealed, toggleRevealed } from "../browse/reveal.js";
import { openEditor } from "../edit/external-editor.js";
import { openForm } from "../edit/form.js";
import { confirmRedo, confirmUndo, whyNoRedo, whyNoUndo } from "../edit/undo.js";
import { commandKeyName, type Key } from "../input/key.js";
import { textField } from "../input/text-field.js";
import { moveCursor, scroll } from "../state/cursor.js";
import { diffSizes, layoutOf, listPage } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import { type ModeKey, runKey } from "../state/mode-keys.js";
import type { Comparison } from "../state/modes.js";
import { backToBrowse, type State } from "../state/state.js";
import { detailPage, differenceDetail } from "../view/difference-panel.js";
import { openCommandLine } from "./command-line.js";
import { compare, filtered, withCursor } from "./compare.js";
import { copy, onEntry, takeOverFrom, whyNoDifference, whyNotEdit, whyNotTakeOver, whyNoValue } from "./diff-sides.js";
import { openHelp } from "./help.js";
import { filterKeyed } from "./typed-filter.js";

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
