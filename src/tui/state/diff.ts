import { diffValues, type NamedValue } from "../../domain/diff.js";
import type { Entry } from "../ports.js";
import { backToBrowse } from "./back-to-browse.js";
import { inView, moveCursor } from "./cursor.js";
import { diffSizes } from "./diff-sizes.js";
import { layoutOf } from "./layout.js";
import type { Key } from "./message.js";
import { toggleAllRevealed, toggleRevealed } from "./reveal.js";
import type { Comparison, Failure, State } from "./state.js";
import { type Step, step } from "./step.js";
import { commandKeyName } from "./typed.js";

/** Reads another place, to compare the open one with it. */
export function openDiff(state: State, place: number): Step {
  return compare(state, {
    kind: "diff",
    place,
    phase: "loading",
    failure: undefined,
    differences: [],
    cursor: 0,
    top: 0,
  });
}

/**
 * The other place's variables are there. What a client has encrypted is compared as it is. Dropped when it is not what
 * is being compared with any more.
 */
export function compared(state: State, place: number, entries: readonly Entry[]): State {
  const { mode } = state;
  if (mode.kind !== "diff" || mode.place !== place) return state;
  const differences = diffValues(namedValues(state.loaded.entries), namedValues(entries));
  const position = inView(mode, differences.length, diffPage(state));
  return { ...state, mode: { ...mode, ...position, phase: "ready", failure: undefined, differences } };
}

/** The other place could not be read. Dropped when it is not what is being compared with any more. */
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
      const moved = moveCursor(comparison, comparison.differences.length, diffPage(state), name);
      return step(moved ? { ...state, mode: { ...comparison, ...moved } } : state);
    }
  }
}

function compare(state: State, comparison: Comparison): Step {
  const mode: Comparison = { ...comparison, phase: "loading", failure: undefined };
  return step({ ...state, mode }, { type: "compare", place: comparison.place });
}

function namedValues(entries: readonly Entry[]): NamedValue[] {
  return entries.flatMap(({ variable: { name, type }, value }) =>
    value ? [{ name, type, value: value.content.value }] : [],
  );
}

/** Lines for differences: a heading is above them. */
function diffPage(state: State): number {
  return Math.max(1, diffSizes(layoutOf(state).body).list.height - 3);
}
