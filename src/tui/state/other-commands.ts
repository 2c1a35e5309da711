import { nearest } from "../../domain/nearest.js";
import type { Command } from "./command.js";
import { withFilter } from "./find-commands.js";
import { isReading } from "./is-reading.js";
import { openPlace, reload } from "./loading.js";
import { tell } from "./notices.js";
import { inView } from "./relist.js";
import { PANELS, type Panel, type State } from "./state.js";
import { type Step, step } from "./step.js";

/** What moves between panels and places, reads again and ends. */
export const OTHER_COMMANDS: readonly Command[] = [
  {
    name: "refresh",
    keys: ["r", "ctrl-r"],
    label: "refresh",
    help: "read again, now",
    group: "Other",
    // A key that is held down is not to send one request after another.
    run: (state) => (isReading(state.loaded) ? step(state) : reload(state)),
  },
  {
    name: "next-panel",
    keys: ["tab", "l", "right"],
    label: "panel",
    help: "go to the next panel",
    group: "Move",
    run: (state) => step(focusPanel(state, 1)),
  },
  {
    name: "previous-panel",
    keys: ["shift-tab", "h", "left"],
    label: undefined,
    help: "go to the panel before",
    group: "Move",
    run: (state) => step(focusPanel(state, -1)),
  },
  {
    name: "open",
    keys: ["enter"],
    label: "open",
    help: "open the place under the cursor, or go to the record",
    group: "Move",
    argument: "<place>",
    run: open,
  },
  {
    name: "back",
    keys: ["escape"],
    label: undefined,
    help: "back to the list; there, take the filter away",
    group: "Move",
    run: (state) => step(goBack(state)),
  },
  {
    name: "quit",
    keys: ["q", "ctrl-c"],
    label: "quit",
    help: "give the terminal back",
    group: "Other",
    run: (state) => step(state, { type: "quit" }),
  },
  {
    name: "suspend",
    keys: ["ctrl-z"],
    label: undefined,
    help: "go back to the shell for a while; fg brings it back",
    group: "Other",
    run: (state) => step(state, { type: "suspend" }),
  },
];

/** Away with what narrows the view. */
function goBack(state: State): State {
  if (state.focus !== "variables") return focusOn(state, "variables");
  return state.list.filter === "" ? { ...state, notice: undefined } : withFilter(state, "");
}

function focusOn(state: State, focus: Panel): State {
  return inView({ ...state, focus, placeCursor: state.place });
}

function focusPanel(state: State, by: 1 | -1): State {
  const next = PANELS[(PANELS.indexOf(state.focus) + by + PANELS.length) % PANELS.length];
  return next ? focusOn(state, next) : state;
}

function open(state: State, name: string): Step {
  if (name !== "") return openNamed(state, name);
  if (state.focus !== "places") return step(focusOn(state, state.focus === "variables" ? "record" : "variables"));
  const chosen = state.placeCursor;
  const next: State = { ...state, focus: "variables" };
  return chosen === state.place ? step(inView(next)) : openPlace(next, chosen);
}

function openNamed(state: State, name: string): Step {
  const place = state.places.findIndex((item) => item.name === name);
  if (place >= 0) return openPlace(state, place);
  const names = state.places.map((item) => item.name);
  const suggestion = nearest(name, names);
  const known = suggestion ? `did you mean ${suggestion}?` : `there is ${names.join(", ")}`;
  return step(tell(state, `there is no place "${name}": ${known}`, "error"));
}
