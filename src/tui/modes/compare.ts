import { type Difference, diffValues } from "../../domain/differing-values.js";
import { namedValues, type VariableEntry } from "../../domain/source.js";
import { withRetryTime } from "../browse/others.js";
import { keepVisible } from "../state/cursor.js";
import { diffSizes, layoutOf, listPage } from "../state/layout.js";
import type { Failure } from "../state/loaded.js";
import type { Step } from "../state/messages.js";
import { step } from "../state/messages.js";
import type { Comparison, Mode } from "../state/modes.js";
import type { State } from "../state/state.js";
import { matchRank, NO_MATCH, searchWords } from "../text/fuzzy.js";

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
export function compare(state: State, comparison: Comparison): Step {
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
export function filtered(state: State, comparison: Comparison, filter: string): State {
  const name = comparison.differences[comparison.cursor]?.name;
  const differences = matching(comparison.all, filter);
  const found = differences.findIndex((difference) => difference.name === name);
  return withCursor(state, { ...comparison, filter, differences }, found < 0 ? comparison.cursor : found, found >= 0);
}

/** The cursor moved to an index, or to the nearest one. @param isSame whether that is the same variable as before */
export function withCursor(state: State, comparison: Comparison, cursor: number, isSame: boolean): State {
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
