import { moveInList, selectedEntry } from "../browse/list.js";
import { allOrNone, hasMarks, inverted, NO_MARKS, toggled, withRange } from "../browse/marks.js";
import { decryptSelected } from "../browse/reveal.js";
import { type Command, command } from "../state/command.js";
import { type Step, step } from "../state/messages.js";
import type { Marks, State } from "../state/state.js";
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
    run: (state) => step(withMarks(state, allOrNone(state))),
  }),
  command("Find", "invert-marks", "!", "mark the listed variables without a mark, and unmark the rest", {
    ...IN_LIST,
    run: (state) => step(withMarks(state, inverted(state))),
  }),
];

function mark(state: State): Step {
  const entry = selectedEntry(state);
  if (!entry) return step(state);
  if (state.marks.from !== undefined) return markRange(state);
  return decryptSelected(moveInList(withMarks(state, toggled(state, entry.variable.name)), "down"));
}

/** Begins a range, or keeps the open one. */
function markRange(state: State): Step {
  const { marks, list } = state;
  if (marks.from !== undefined) return step(withMarks(state, withRange(state)));
  return step(list.rows.length === 0 ? state : withMarks(state, { ...marks, from: list.cursor }));
}

function withMarks(state: State, marks: Marks): State {
  return { ...state, marks };
}

/** The steps of Escape in the list: clears the open range, then the filter, then the marks. */
export function clearable({ marks, list }: State): "range" | "filter" | "marks" | undefined {
  if (marks.from !== undefined) return "range";
  if (list.filter !== "") return "filter";
  return hasMarks(marks) ? "marks" : undefined;
}

export function withoutMarks(state: State): State {
  return withMarks(state, NO_MARKS);
}

export function withoutRange(state: State): State {
  return withMarks(state, { names: state.marks.names });
}
