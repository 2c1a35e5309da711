import { cursorInView, moveInList, withList } from "../browse/list.js";
import { openPlace } from "../browse/loading.js";
import { decryptSelected } from "../browse/reveal.js";
import { cycled, moveCursor, scroll } from "../state/cursor.js";
import { pageSize } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import { placeOrder } from "../state/places.js";
import { PANELS, type PanelName, type State } from "../state/state.js";
import { recordLineCount } from "../view/record-panel.js";
import { clearable, withoutMarks, withoutRange } from "./mark.js";

export function moveInPanel(state: State, key: string): Step {
  const { focus, places, placeCursor, recordTop } = state;
  const page = pageSize(state, focus);
  switch (focus) {
    case "places": {
      const order = placeOrder(places);
      const moved = moveCursor({ cursor: order.indexOf(placeCursor), top: 0 }, order.length, page, key);
      return step({ ...state, placeCursor: order[moved?.cursor ?? -1] ?? placeCursor });
    }
    case "record":
      return step({ ...state, recordTop: scroll(recordTop, recordLineCount(state), page, key) ?? recordTop });
    case "variables":
      return decryptSelected(moveInList(state, key));
  }
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
