import { type Step, step } from "../state/messages.js";
import { type Form, isQuitQuestion, modesUnder } from "../state/modes.js";
import { backToBrowse, isBeingWritten, type State } from "../state/state.js";
import { ask } from "./ask.js";
import { isTouched } from "./draft.js";

/** Returns to the mode that the form was opened from, with a notice if there is something to say. */
export function closeForm(state: State, { back }: Form, text?: string): State {
  const closed = backToBrowse(state, text);
  return back ? { ...closed, mode: back } : closed;
}

/** Closes a form, after a question if something typed would be lost. */
export function leaveForm(state: State, form: Form): Step {
  if (!isTouched(form)) return step(closeForm(state, form));
  return ask(state, { title: "Drop", text: "Drop your changes?", answer: "Drop", isDestructive: true });
}

/** Ctrl-C quits at once unless something would be lost: then it asks, and quits when it is pressed again. */
export function quit(state: State): Step {
  const lost = isQuitQuestion(state.mode) ? undefined : lostText(state);
  if (lost === undefined) return step(state, { type: "quit" });
  const text = `Quit${lost}? Ctrl-C again quits.`;
  return ask(state, { title: "Quit", text, answer: "Quit", isDestructive: true, effect: { type: "quit" } });
}

/** The loss that the question before quitting names: new credentials, shown or about to be, or typed text. */
function lostText(state: State): string | undefined {
  const { mode, pending } = state;
  if (pending?.type === "rotate" || pending?.type === "addEnvironment") return " without the new credentials";
  if (mode.kind === "confirm" && isBeingWritten(state, mode)) return undefined;
  const modes = modesUnder(mode);
  const shown = modes.find(({ kind }) => kind === "credentials");
  if (shown?.kind === "credentials") return ` without the new credentials of ${shown.credentials.environment}`;
  return modes.some((each) => each.kind === "form" && isTouched(each)) ? ", and lose your changes" : undefined;
}
