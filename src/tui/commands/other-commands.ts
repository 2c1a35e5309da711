import { nearest } from "../../domain/nearest.js";
import { type Command, command } from "../state/command.js";
import { cursorInView, withFilter } from "../state/list.js";
import { isReading, openPlace, reload } from "../state/loading.js";
import { notify, PANELS, type PanelName, type State, type Step, step } from "../state/state.js";

export const OTHER_COMMANDS: readonly Command[] = [
  command("Other", "refresh", "r ctrl-r", "read the variables again", {
    label: "refresh",
    // A key that is held down must not send request after request.
    run: (state) => (isReading(state.loaded) ? step(state) : reload(state)),
  }),
  command("Move", "next-panel", "tab l right", "go to the next panel", {
    label: "panel",
    run: (state) => step(focusPanel(state, 1)),
  }),
  command("Move", "previous-panel", "shift-tab h left", "go to the previous panel", {
    run: (state) => step(focusPanel(state, -1)),
  }),
  command("Move", "open", "enter", "open the place under the cursor, or go to the record", {
    label: "open",
    argument: "<place>",
    choices: placeNames,
    run: open,
  }),
  command("Move", "back", "escape", "go back to the list, or clear the filter", {
    run: (state) => step(goBack(state)),
  }),
  command("Other", "quit", "q ctrl-c", "quit and restore the terminal", {
    label: "quit",
    run: (state) => step(state, { type: "quit" }),
  }),
  command("Other", "suspend", "ctrl-z", "suspend and return to the shell; fg resumes", {
    run: (state) => step(state, { type: "suspend" }),
  }),
];

function goBack(state: State): State {
  if (state.focus !== "variables") return focusOn(state, "variables");
  return state.list.filter === "" ? { ...state, notice: undefined } : withFilter(state, "");
}

function focusOn(state: State, focus: PanelName): State {
  return cursorInView({ ...state, focus, placeCursor: state.place });
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
  return chosen === state.place ? step(cursorInView(next)) : openPlace(next, chosen);
}

function openNamed(state: State, name: string): Step {
  const names = placeNames(state);
  const place = names.indexOf(name);
  if (place >= 0) return openPlace(state, place);
  const suggestion = nearest(name, names);
  const known = suggestion ? `did you mean ${suggestion}?` : `the places are ${names.join(", ")}`;
  return step(notify(state, `there is no place "${name}": ${known}`, "error"));
}

function placeNames({ places }: State): readonly string[] {
  return places.map(({ name }) => name);
}
