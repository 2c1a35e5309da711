import { editKeyName, type Key } from "../input/key.js";
import { movedButton } from "../state/cursor.js";
import { type Step, step } from "../state/messages.js";
import type { Form, Leaving } from "../state/modes.js";
import { backToBrowse, isBeingWritten, type State } from "../state/state.js";
import { isTouched } from "./draft.js";

/** The form, or the one that the confirmation goes back to, if something typed would be lost with it. */
function unsavedForm(state: State): Form | undefined {
  const { mode } = state;
  const form = mode.kind === "confirm" && !isBeingWritten(state, mode) ? mode.back : mode;
  return form.kind === "form" && isTouched(form) ? form : undefined;
}

/** Returns to what the form was opened from, with a notice if there is something to say. */
export function closeForm(state: State, { back }: Form, text?: string): State {
  const closed = backToBrowse(state, text);
  return back ? { ...closed, mode: back } : closed;
}

/** Asks whether to drop what was typed. */
export function askToLeave(state: State, form: Form, to: Leaving["to"]): State {
  return { ...state, mode: { ...form, problem: undefined, leaving: { to, button: "back" } } };
}

/** Ctrl-C quits at once unless something typed would be lost: then it asks, and quits when it is pressed again. */
export function quit(state: State): Step {
  const form = unsavedForm(state);
  return !form || form.leaving?.to === "quit" ? step(state, { type: "quit" }) : step(askToLeave(state, form, "quit"));
}

export function leavingKey(state: State, form: Form, leaving: Leaving, key: Key): Step {
  const { to, button } = leaving;
  const stay = step({ ...state, mode: { ...form, leaving: undefined } });
  const name = editKeyName(key);
  const moved = movedButton(["back", "drop"] as const, button, name);
  if (moved) return step({ ...state, mode: { ...form, leaving: { to, button: moved } } });
  switch (name) {
    case "escape":
      return stay;
    case "enter":
      return button === "back" ? stay : dropped(state, form, to);
    case "ctrl-x":
      return dropped(state, form, to);
    default:
      return step(state);
  }
}

function dropped(state: State, form: Form, to: Leaving["to"]): Step {
  return to === "quit" ? step(state, { type: "quit" }) : step(closeForm(state, form, "nothing was changed"));
}
