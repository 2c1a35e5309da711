import { diffValues } from "../../domain/diff.js";
import type { VariableEntry } from "../../domain/source.js";
import type { NamedValue } from "../../domain/variable.js";
import { keepVisible, moveCursor } from "../state/cursor.js";
import { commandKeyName, type Key } from "../state/key.js";
import { diffSizes, layoutOf, listPage } from "../state/layout.js";
import { toggleAllRevealed, toggleRevealed } from "../state/reveal.js";
import { backToBrowse, type Comparison, type Failure, type State, type Step, step } from "../state/state.js";

export function openDiff(state: State, place: number): Step {
  return compare(state, {
    kind: "diff",
    place,
    phase: "loading",
    isEditable: false,
    differences: [],
    cursor: 0,
    top: 0,
  });
}

function compare(state: State, comparison: Comparison): Step {
  const mode: Comparison = { ...comparison, phase: "loading", failure: undefined };
  return step({ ...state, mode }, { type: "compare", place: comparison.place });
}

/** Handles the variables of the other place. Encrypted values are compared as they are. */
export function compared(state: State, place: number, entries: readonly VariableEntry[], isEditable: boolean): State {
  const { mode } = state;
  // Late answers are dropped.
  if (mode.kind !== "diff" || mode.place !== place) return state;
  const differences = diffValues(namedValues(state.loaded.entries), namedValues(entries));
  const position = keepVisible(mode, differences.length, listPage(diffSizes(layoutOf(state)).list));
  return { ...state, mode: { ...mode, ...position, phase: "ready", failure: undefined, isEditable, differences } };
}

/** Handles a failure to read the other place. */
export function notCompared(state: State, place: number, failure: Failure): State {
  const { mode } = state;
  if (mode.kind !== "diff" || mode.place !== place) return state;
  return { ...state, mode: { ...mode, phase: "failed", failure } };
}

export function diffKey(state: State, comparison: Comparison, key: Key): Step {
  const name = commandKeyName(key);
  const selected = comparison.differences[comparison.cursor];
  switch (name) {
    case "escape":
    case "q":
    case "d":
      return step(backToBrowse(state));
    case "r":
      return comparison.phase === "loading" ? step(state) : compare(state, comparison);
    case "v":
      return step(selected ? toggleRevealed(state, selected.name) : state);
    case "V":
      return step(toggleAllRevealed(state));
    default: {
      const moved = moveCursor(
        comparison,
        comparison.differences.length,
        listPage(diffSizes(layoutOf(state)).list),
        name,
      );
      return step(moved ? { ...state, mode: { ...comparison, ...moved } } : state);
    }
  }
}

function namedValues(entries: readonly VariableEntry[]): NamedValue[] {
  return entries.flatMap(({ variable: { name, type }, value }) =>
    value ? [{ name, type, value: value.content.value }] : [],
  );
}
