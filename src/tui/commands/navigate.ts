import { openPlace } from "../reading/read.js";
import { allOrNone, namesOf, toggled, withRange } from "../reading/selection.js";
import { recordLineCount } from "../screens/record.js";
import { type Command, command } from "../state/command.js";
import { pageSize } from "../state/layout.js";
import { placeOrder } from "../state/places.js";
import { groupOf } from "../state/reading.js";
import { type Marks, PANELS, type PanelName, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import { drawn, type Grid, gridOf } from "../view/screen.js";
import { cleared, moveRows } from "../view/table.js";
import { cycled, moveCursor, scroll } from "../widgets/list.js";
import { IN_TABLE, ifListed } from "./choose.js";

const IN_LIST = { where: ["variables"], label: undefined } as const;

const MARK_HELP = "mark the variable and go to the next: copying and deleting then act on all that are marked";

export const MARK_COMMANDS: readonly Command[] = [
  command("Find", "mark", "space", MARK_HELP, { ...IN_TABLE, label: ifListed("mark"), run: mark }),
  marking(
    "mark-range",
    "R",
    "mark all from here to the cursor; marking again ends the range",
    (marks, grid, before) => {
      return before.from !== undefined || grid.rows.length === 0 ? marks : { ...marks, from: grid.cursor };
    },
  ),
  marking("mark-all", "*", "mark all that are listed, or none", allOrNone),
  marking("invert-marks", "!", "mark the listed variables without a mark, and unmark the rest", (marks, grid) => {
    return toggled(marks, namesOf(grid));
  }),
];

/** @param change gets the marks with those of an open range, which ends */
function marking(
  name: string,
  key: string,
  help: string,
  change: (marks: Marks, grid: Grid, before: Marks) => Marks,
): Command {
  const run = (state: State) => {
    const grid = gridOf(state);
    return step({ ...state, marks: change(withRange(state.marks, grid), grid, state.marks) });
  };
  return command("Find", name, key, help, { ...IN_TABLE, label: undefined, run });
}

function mark(state: State): Step {
  const { marks } = state;
  const grid = gridOf(state);
  if (marks.from !== undefined) return step({ ...state, marks: withRange(marks, grid) });
  return step(grid.name === undefined ? state : moveRows({ ...state, marks: toggled(marks, [grid.name]) }, "down"));
}

export function moveInPanel(state: State, key: string): Step {
  const { focus, places, placeCursor } = state;
  const { screen, data } = drawn(state) ?? {};
  if (screen) return step(screen.move?.(state, data, key) ?? moveRows(state, key));
  switch (focus) {
    case "places": {
      const order = placeOrder(places);
      const at = { cursor: order.indexOf(placeCursor), top: 0 };
      const moved = moveCursor(at, order.length, pageSize(state, focus), key);
      return step({ ...state, placeCursor: order[moved?.cursor ?? -1] ?? placeCursor });
    }
    case "record":
      return step(scrollRecord(state, key));
    case "variables":
      return step(moveRows(state, key));
  }
}

function scrollRecord(state: State, key: string): State {
  const { recordTop } = state;
  const top = scroll(recordTop, recordLineCount(state), pageSize(state, "record"), key);
  return top === undefined ? state : { ...state, recordTop: top };
}

export function goBack(state: State): Step {
  if (state.focus !== "variables") return focusOn(state, "variables");
  return step(cleared(state) ?? { ...state, notice: undefined });
}

export function focusPanel(state: State, by: 1 | -1): Step {
  return focusOn(state, cycled(PANELS, state.focus, by));
}

function focusOn(state: State, focus: PanelName): Step {
  return step({ ...state, focus, placeCursor: state.place });
}

/** Opens the place under the cursor, or goes from the list to the record and back. */
export function openSelected(state: State): Step {
  const { focus, place, placeCursor } = state;
  if (focus !== "places") return focusOn(state, focus === "variables" ? "record" : "variables");
  const next: State = { ...state, focus: "variables" };
  return placeCursor === place ? step(next) : openPlace(next, placeCursor);
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
