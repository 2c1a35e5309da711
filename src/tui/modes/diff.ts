import type { VariableEntry } from "../../domain/source.js";
import { toggleAllRevealed, toggleRevealed } from "../browse/reveal.js";
import { openEditor } from "../edit/external-editor.js";
import { openForm } from "../edit/form.js";
import { confirmRedo, confirmUndo } from "../edit/undo.js";
import { commandKeyName, editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { moveCursor } from "../state/cursor.js";
import { diffSizes, layoutOf, listPage } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import type { Comparison } from "../state/modes.js";
import { backToBrowse, notify, type State } from "../state/state.js";
import { detailPage, differenceDetail } from "../view/difference-panel.js";
import { scrollLines } from "../view/panel-content.js";
import { placeName } from "../view/places-panel.js";
import { compare, filtered, withCursor } from "./compare.js";
import { takeOver, whyReadOnly } from "./take-over.js";

type Run = (state: State, comparison: Comparison) => Step;

export function diffKey(state: State, comparison: Comparison, key: Key): Step {
  if (comparison.typing) return filterKey(state, comparison, comparison.typing, key);
  const name = commandKeyName(key);
  return KEYS.get(name)?.(state, comparison) ?? step(move(state, comparison, name));
}

const KEYS = new Map<string, Run>([
  ["escape", goBack],
  ["q", (state) => step(backToBrowse(state))],
  ["d", (state) => step(backToBrowse(state))],
  ["r", (state, comparison) => (comparison.phase === "loading" ? step(state) : compare(state, comparison))],
  ["v", onDifference((state, { name }) => step(toggleRevealed(state, name)))],
  ["V", (state) => step(toggleAllRevealed(state))],
  ["tab", focusOther],
  ["shift-tab", focusOther],
  ["enter", focusOther],
  ["/", openFilter],
  ["n", (state, comparison) => step(next(state, comparison, 1))],
  ["N", (state, comparison) => step(next(state, comparison, -1))],
  ["y", onDifference((state, sides) => copy(state, sides, "open"))],
  ["Y", onDifference((state, sides) => copy(state, sides, "other"))],
  ["e", onDifference((state, sides, back) => edit(state, sides, (entry) => openForm(state, "edit", entry, { back })))],
  ["E", onDifference((state, sides) => edit(state, sides, (entry) => openEditor(state, entry)))],
  [">", onDifference((state, sides) => takeOverFrom(state, sides, "open"))],
  ["<", onDifference((state, sides) => takeOverFrom(state, sides, "other"))],
  ["u", confirmUndo],
  ["U", confirmRedo],
]);

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
    const top = scrollLines(lines, detailTop, detailPage(detail), key);
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

const MOVES = ["up", "down", "pageup", "pagedown"];

/** The list follows the filter with each key. */
function filterKey(state: State, comparison: Comparison, typing: NonNullable<Comparison["typing"]>, key: Key): Step {
  const name = editKeyName(key);
  const done: Comparison = { ...comparison, typing: undefined };
  if (name === "enter" || (name === "backspace" && typing.field.text === "")) return step({ ...state, mode: done });
  if (name === "escape") return step(filtered(state, done, typing.before));
  if (MOVES.includes(name)) return step(move(state, comparison, name));
  const field = editLine(typing.field, key);
  const typed: Comparison = { ...comparison, typing: { ...typing, field } };
  if (field.text === typing.field.text) return step({ ...state, mode: typed });
  // The best match is the first one.
  return step(filtered(state, { ...typed, differences: [], cursor: 0, top: 0 }, field.text));
}

interface Sides {
  readonly name: string;
  /** Index of the other place. */
  readonly place: number;
  /** The variable in the open place, and in the other. */
  readonly open: VariableEntry | undefined;
  readonly other: VariableEntry | undefined;
}

/** Runs something with the variable under the cursor. */
function onDifference(run: (state: State, sides: Sides, comparison: Comparison) => Step): Run {
  return (state, comparison) => {
    const { differences, cursor, place, others } = comparison;
    const name = differences[cursor]?.name;
    if (name === undefined) return step(state);
    const isIt = ({ variable }: VariableEntry) => variable.name === name;
    const sides = { name, place, open: state.loaded.entries.find(isIt), other: others.find(isIt) };
    return run(state, sides, comparison);
  };
}

function copy(state: State, sides: Sides, side: "open" | "other"): Step {
  const place = side === "open" ? state.place : sides.place;
  const entry = sides[side];
  return entry?.value
    ? step(state, { type: "copy", place, entries: [entry], format: "value" })
    : noValue(state, sides, place);
}

function takeOverFrom(state: State, sides: Sides, side: "open" | "other"): Step {
  const [from, to] = side === "open" ? [state.place, sides.place] : [sides.place, state.place];
  const entry = sides[side];
  return entry?.value ? takeOver(state, [entry], to) : noValue(state, sides, from);
}

function noValue(state: State, { name }: Sides, place: number): Step {
  return step(notify(state, `${name} has no value in ${placeName(state, place)}`, "error"));
}

function edit(state: State, sides: Sides, run: (entry: VariableEntry) => Step): Step {
  const refusal = whyReadOnly(state, state.place);
  if (refusal !== undefined) return step(notify(state, refusal, "error"));
  return sides.open ? run(sides.open) : noValue(state, sides, state.place);
}
