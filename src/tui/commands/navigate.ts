import { openPlace } from "../reading/read.js";
import { namesOf, toggled, withRange } from "../reading/selection.js";
import { recordLineCount } from "../screens/record.js";
import type { Command } from "../state/command.js";
import { pageSize } from "../state/layout.js";
import { placeOrder } from "../state/places.js";
import { groupOf } from "../state/reading.js";
import { type Marks, PANELS, type PanelName, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import { drawnScreen, type Grid, gridOf, pop } from "../view/screen.js";
import { clearing, moveRows } from "../view/table.js";
import { cycled, moveCursor, scroll } from "../widgets/list.js";

/** A command that changes the marks. @param change gets them with those of an open range, which ends */
export function marking(change: (marks: Marks, grid: Grid, before: Marks) => Marks): Command["run"] {
  return (state) => {
    const grid = gridOf(state);
    return step({ ...state, marks: change(withRange(state.marks, grid), grid, state.marks) });
  };
}

/** Begins a range, or ends it. */
export function markRange(marks: Marks, grid: Grid, before: Marks): Marks {
  return before.from !== undefined || grid.rows.length === 0 ? marks : { ...marks, from: grid.cursor };
}

export function invertMarks(marks: Marks, grid: Grid): Marks {
  return toggled(marks, namesOf(grid));
}

/** Marks the variable under the cursor and goes to the next one, or ends a range. */
export function mark(state: State): Step {
  const { marks } = state;
  const grid = gridOf(state);
  if (marks.from !== undefined) return step({ ...state, marks: withRange(marks, grid) });
  return step(grid.name === undefined ? state : moveRows({ ...state, marks: toggled(marks, [grid.name]) }, "down"));
}

export function moveInPanel(state: State, key: string): Step {
  const { focus, places, placeCursor } = state;
  const { screen, data } = drawnScreen(state) ?? {};
  if (screen) return step(screen.move?.(state, data, key) ?? moveRows(state, key));
  if (focus === "record") return scrollRecord(state, key);
  if (focus === "variables") return step(moveRows(state, key));
  const order = placeOrder(places);
  const at = { cursor: order.indexOf(placeCursor), top: 0 };
  const moved = moveCursor(at, order.length, pageSize(state, focus), key);
  return step({ ...state, placeCursor: order[moved?.cursor ?? -1] ?? placeCursor });
}

export function scrollRecord(state: State, key: string): Step {
  const top = scroll(state.recordTop, recordLineCount(state), pageSize(state, "record"), key);
  return step(top === undefined ? state : { ...state, recordTop: top });
}

export function goBack(state: State): Step {
  if (state.stack.length > 0) return step(clearing(state)?.cleared ?? pop(state));
  if (state.focus !== "variables") return focusOn(state, "variables");
  return step(clearing(state)?.cleared ?? { ...state, notice: undefined });
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

/** Why the application has no other environment. */
export function whyNoNeighbor(state: State): string | undefined {
  return groupOf(state).length > 1 ? undefined : "there is no other environment of this application";
}

export function openNeighbor(state: State, by: 1 | -1): Step {
  return openPlace(state, cycled(groupOf(state), state.place, by));
}
