import { openPlace } from "../reading/read.js";
import { decryptSelected } from "../reading/reveal.js";
import {
  allOrNone,
  cursorInView,
  hasMarks,
  inverted,
  moveInList,
  NO_MARKS,
  selectedEntry,
  toggled,
  withList,
  withRange,
} from "../reading/selection.js";
import { recordLineCount } from "../screens/record.js";
import { type Command, command } from "../state/command.js";
import { pageSize } from "../state/layout.js";
import { placeOrder } from "../state/places.js";
import { groupOf } from "../state/reading.js";
import { type Marks, PANELS, type PanelName, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import { cycled, moveCursor, scroll } from "../widgets/list.js";
import { ifListed } from "./choose.js";

const IN_LIST = { where: ["variables"], label: undefined } as const;

export const MARK_COMMANDS: readonly Command[] = [
  command(
    "Find",
    "mark",
    "space",
    "mark the variable and go to the next: copying and deleting then act on all that are marked",
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

function withoutMarks(state: State): State {
  return withMarks(state, NO_MARKS);
}

function withoutRange(state: State): State {
  return withMarks(state, { names: state.marks.names });
}

export function moveInPanel(state: State, key: string): Step {
  const { focus, places, placeCursor } = state;
  const page = pageSize(state, focus);
  switch (focus) {
    case "places": {
      const order = placeOrder(places);
      const moved = moveCursor({ cursor: order.indexOf(placeCursor), top: 0 }, order.length, page, key);
      return step({ ...state, placeCursor: order[moved?.cursor ?? -1] ?? placeCursor });
    }
    case "record":
      return step(scrollRecord(state, key));
    case "variables":
      return decryptSelected(moveInList(state, key));
  }
}

function scrollRecord(state: State, key: string): State {
  const { recordTop } = state;
  const top = scroll(recordTop, recordLineCount(state), pageSize(state, "record"), key);
  return top === undefined ? state : { ...state, recordTop: top };
}

export function goBack(state: State): Step {
  if (state.focus !== "variables") return focusOn(state, "variables");
  switch (clearable(state)) {
    case "range":
      return step(withoutRange(state));
    case "filter":
      return step(withList(state, { filter: "" }));
    case "marks":
      return step(withoutMarks(state));
    default:
      return step({ ...state, notice: undefined });
  }
}

export function focusPanel(state: State, by: 1 | -1): Step {
  return focusOn(state, cycled(PANELS, state.focus, by));
}

function focusOn(state: State, focus: PanelName): Step {
  return step(cursorInView({ ...state, focus, placeCursor: state.place }));
}

/** Opens the place under the cursor, or goes from the list to the record and back. */
export function openSelected(state: State): Step {
  const { focus, place, placeCursor } = state;
  if (focus !== "places") return focusOn(state, focus === "variables" ? "record" : "variables");
  const next: State = { ...state, focus: "variables" };
  return placeCursor === place ? step(cursorInView(next)) : openPlace(next, placeCursor);
}

/** What is beside the list: its record, and the environments of the same application. */
export const BESIDE_COMMANDS: readonly Command[] = [
  ...(["down", "up"] as const).map((way) => {
    const run: Command["run"] = (state) => step(scrollRecord(state, way));
    const help = `scroll the record ${way}; with a number, like all keys that move, so many times: 5J`;
    return command("Move", `record-${way}`, way === "down" ? "J" : "K", help, { ...IN_LIST, repeats: true, run });
  }),
  ...(["next", "previous"] as const).map((way) => {
    const help = `open the ${way} environment of the application, with the same variable selected`;
    return command("Move", `${way}-environment`, way === "next" ? "]" : "[", help, {
      label: undefined,
      disabledReason: (state) =>
        groupOf(state).length > 1 ? undefined : "there is no other environment of this application",
      run: (state) => openPlace(state, cycled(groupOf(state), state.place, way === "next" ? 1 : -1)),
    });
  }),
];
