import { openPlace } from "../reading/polling.js";
import { scrollRecord } from "../screens/record-panel.js";
import { type Grid, gridOf } from "../stack/grid.js";
import { drawnScreen, pop } from "../stack/screen.js";
import { pageSize } from "../state/layout.js";
import { groupOf, placeOrder } from "../state/places.js";
import { type Marks, PANELS, type PanelName, type State } from "../state/state.js";
import { toggled, withRange } from "../table/selection.js";
import { clearing, moveRows } from "../view/table-panel.js";
import { cycled, moveCursor } from "../widgets/list.js";

/** @param change called with the marks after an open range is closed */
export function marking(change: (marks: Marks, grid: Grid) => Marks): (state: State) => State {
  return (state) => {
    const grid = gridOf(state);
    return { ...state, marks: change(withRange(state.marks, grid), grid) };
  };
}

const endRange = marking((marks) => marks);

export function markRange(state: State): State {
  const { rows, cursor } = gridOf(state);
  if (state.marks.from !== undefined || rows.length === 0) return endRange(state);
  return { ...state, marks: { ...state.marks, from: cursor } };
}

/** Toggles a mark and moves down, or ends an open range. */
export function mark(state: State): State {
  const { marks } = state;
  const { name } = gridOf(state);
  if (marks.from !== undefined) return endRange(state);
  return name === undefined ? state : moveRows({ ...state, marks: toggled(marks, [name]) }, "down");
}

export function moveInPanel(state: State, key: string): State {
  const { focus, places, placeCursor } = state;
  const { screen, data } = drawnScreen(state) ?? {};
  if (screen || focus === "variables")
    return screen?.move?.(state, data, key) ?? moveRows(state, key);
  if (focus === "record") return scrollRecord(state, key);
  const order = placeOrder(places);
  const at = { cursor: order.indexOf(placeCursor), top: 0 };
  const { cursor } = moveCursor(at, order.length, pageSize(state, focus), key) ?? at;
  return { ...state, placeCursor: order[cursor] ?? placeCursor };
}

export function goBack(state: State): State {
  if (state.stack.length > 0) return clearing(state)?.cleared ?? pop(state);
  if (state.focus !== "variables") return focusOn(state, "variables");
  return clearing(state)?.cleared ?? { ...state, notice: undefined };
}

export function focusPanel(state: State, by: 1 | -1): State {
  return focusOn(state, cycled(PANELS, state.focus, by));
}

function focusOn(state: State, focus: PanelName): State {
  return { ...state, focus, placeCursor: state.place };
}

/** Opens the place under the cursor, or goes to the record and back. */
export function openSelected(state: State): State {
  const { focus, place, placeCursor } = state;
  if (focus !== "places") return focusOn(state, focus === "variables" ? "record" : "variables");
  const next: State = { ...state, focus: "variables" };
  return placeCursor === place ? next : openPlace(next, placeCursor);
}

export function whyNoNeighbor(state: State): string | undefined {
  return groupOf(state).length > 1
    ? undefined
    : "there is no other environment of this application";
}

export function openNeighbor(state: State, by: 1 | -1): State {
  return openPlace(state, cycled(groupOf(state), state.place, by));
}
