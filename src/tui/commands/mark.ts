import { moveInList, selectedEntry } from "../browse/list.js";
import { decryptSelected } from "../browse/reveal.js";
import { allOrNone, hasMarks, inverted, NO_SELECTION, toggled, withRange } from "../browse/selection.js";
import { type Command, command } from "../state/command.js";
import { type Step, step } from "../state/messages.js";
import type { Selection, State } from "../state/state.js";
import { ifListed } from "./conditions.js";

const IN_LIST = { panels: ["variables"], label: undefined } as const;

export const MARK_COMMANDS: readonly Command[] = [
  command(
    "Find",
    "mark",
    "space",
    "mark the variable and go to the next: copying, taking over and deleting then act on all that are marked",
    {
      ...IN_LIST,
      label: ifListed("mark"),
      run: mark,
    },
  ),
  command("Find", "mark-range", "R", "mark all from here to the cursor; marking again ends the range", {
    ...IN_LIST,
    run: markRange,
  }),
  command("Find", "mark-all", "*", "mark all that are listed, or none", {
    ...IN_LIST,
    run: (state) => step(withSelection(state, allOrNone(state))),
  }),
  command("Find", "invert-marks", "!", "mark what is listed and isn't marked, and unmark the rest", {
    ...IN_LIST,
    run: (state) => step(withSelection(state, inverted(state))),
  }),
];

function mark(state: State): Step {
  const entry = selectedEntry(state);
  if (!entry) return step(state);
  if (state.selection.from !== undefined) return markRange(state);
  return decryptSelected(moveInList(withSelection(state, toggled(state, entry.variable.name)), "down"));
}

/** Begins a range, or keeps the open one. */
function markRange(state: State): Step {
  const { selection, list } = state;
  if (selection.from !== undefined) return step(withSelection(state, withRange(state)));
  return step(list.rows.length === 0 ? state : withSelection(state, { ...selection, from: list.cursor }));
}

function withSelection(state: State, selection: Selection): State {
  return { ...state, selection };
}

/** What Escape clears in the list: the open range, then the filter, then the marks. */
export function clearable({ selection, list }: State): "range" | "filter" | "marks" | undefined {
  if (selection.from !== undefined) return "range";
  if (list.filter !== "") return "filter";
  return hasMarks(selection) ? "marks" : undefined;
}

export function withoutMarks(state: State): State {
  return withSelection(state, NO_SELECTION);
}

export function withoutRange(state: State): State {
  return withSelection(state, { names: state.selection.names });
}
