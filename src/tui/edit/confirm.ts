import type { VariableEntry } from "../../domain/source.js";
import { reload } from "../browse/loading.js";
import { NO_SELECTION } from "../browse/selection.js";
import { commandKeyName, editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { cycled } from "../state/cursor.js";
import type { Purpose } from "../state/effects.js";
import type { Failure } from "../state/loaded.js";
import { type Step, step } from "../state/messages.js";
import type { Answer, Confirmation } from "../state/modes.js";
import type { Assigned, Assignment, Edit } from "../state/ports.js";
import { notify, type State } from "../state/state.js";
import { scrollConfirmation } from "./confirm-panel.js";
import { prepareForm } from "./draft.js";
import { answersOf, doneText, requiredText } from "./edit-question.js";
import { droppedFromHistory, historyAfter } from "./history.js";

/** The content of a variable for an edit. */
export function assignedIn({ variable: { type, description }, value }: VariableEntry): Assigned {
  return { type, description, value: value?.content.value };
}

/**
 * Asks whether to make an edit, with a way back to the present mode. The input of a form is shown; other values are
 * masked. The first button has the focus, as `u` undoes the edit, unless it would replace what another program has written.
 */
export function confirmEdit(
  state: State,
  purpose: Purpose,
  place: number,
  edit: Edit,
  rest: Pick<Confirmation, "of" | "isChangedMeanwhile"> = {},
): State {
  const { mode: back } = state;
  const mode: Confirmation = {
    kind: "confirm",
    purpose,
    place,
    edit: { ...edit },
    ...rest,
    isRevealed: back.kind === "form",
    isBusy: false,
    button: rest.isChangedMeanwhile ? "back" : "yes",
    typed: textField(""),
    back,
    top: 0,
  };
  return { ...state, mode };
}

export function deleteValues(state: State, entries: readonly VariableEntry[]): Step {
  const set = entries.filter(({ value }) => value !== undefined);
  if (set.length === 0) {
    const [entry] = entries;
    return step(notify(state, `${entry?.variable.name ?? "the variable"} has no value here`, "error"));
  }
  const assignments = set.map((entry): Assignment => {
    return { name: entry.variable.name, ...assignedIn(entry), value: undefined };
  });
  return step(state, { type: "assign", place: state.place, purpose: "delete", assignments });
}

/** Handles an edit that was prepared without a form: asks to confirm it. Dropped if something else is being asked. */
export function assigned(state: State, purpose: Purpose, place: number, edit: Edit): State {
  const { kind } = state.mode;
  if (kind === "form" || kind === "confirm") return state;
  if (edit.changes.length === 0) return notify(state, "nothing to change");
  return confirmEdit(state, purpose, place, edit);
}

/** While the edit is being written all keys are ignored, so that it is written once. */
export function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  if (confirmation.isBusy) return step(state);
  const isTyping = requiredText(state, confirmation) !== undefined;
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  const go = (change: Partial<Confirmation>) => step({ ...state, mode: { ...confirmation, ...change } });
  switch (name) {
    case "enter":
      return answered(state, confirmation, confirmation.button);
    case "ctrl-s":
      return answered(state, confirmation, "yes");
    case "escape":
      return answered(state, confirmation, "back");
    case "ctrl-x":
      return answered(state, confirmation, "drop");
    case "tab":
    case "right":
      return go({ button: cycled(answersOf(confirmation), confirmation.button, 1) });
    case "shift-tab":
    case "left":
      return go({ button: cycled(answersOf(confirmation), confirmation.button, -1) });
  }
  const typed = isTyping ? editLine(confirmation.typed, key) : confirmation.typed;
  if (typed !== confirmation.typed) return go({ typed, problem: undefined });
  return isTyping ? go({ top: scrollConfirmation(state, confirmation, name) }) : letter(state, confirmation, name);
}

/** The keys that are letters. `y` copies elsewhere: it is no answer, since it would copy after the question is gone. */
function letter(state: State, confirmation: Confirmation, name: string): Step {
  switch (name) {
    case "n":
      return answered(state, confirmation, "back");
    case "x":
      return answered(state, confirmation, "drop");
    case "v":
      return step({ ...state, mode: { ...confirmation, isRevealed: !confirmation.isRevealed, top: 0 } });
    case "y":
      return step(notify(state, "y is no answer: press Enter on a button, or Ctrl-S"));
    default:
      return step({ ...state, mode: { ...confirmation, top: scrollConfirmation(state, confirmation, name) } });
  }
}

function answered(state: State, confirmation: Confirmation, answer: Answer): Step {
  const { place, edit, back, typed } = confirmation;
  if (!answersOf(confirmation).includes(answer)) return step(state);
  if (answer === "back") return step({ ...state, mode: back });
  if (answer === "drop") return step(droppedFromHistory(state, confirmation));
  const required = requiredText(state, confirmation);
  if (required !== undefined && typed.text.trim() !== required) {
    return step({ ...state, mode: { ...confirmation, problem: `first type ${required}` } });
  }
  const mode: Confirmation = { ...confirmation, isBusy: true, problem: undefined };
  return step({ ...state, mode, notice: undefined }, { type: "apply", place, edit });
}

/** Handles a written edit: shows a notice, keeps the edit for undo, and reads the variables again. */
export function applied(state: State): Step {
  const { mode, history } = state;
  if (mode.kind !== "confirm" || !mode.isBusy) return step(state);
  const { place, edit, back } = mode;
  const returned: State = { ...state, mode: back.kind === "form" ? (back.back ?? { kind: "browse" }) : back };
  const isOfMarked = mode.purpose === "delete" || mode.purpose === "take-over";
  const selection = isOfMarked ? NO_SELECTION : state.selection;
  const written = { ...returned, selection, history: historyAfter(history, mode) };
  const next = notify(written, doneText(state, mode), "success");
  if (place !== state.place) return step(next);
  const [change, ...others] = edit.changes;
  // An added variable is selected when it has been read.
  const wanted = others.length === 0 && change?.after ? change.name : next.list.wanted;
  return reload({ ...next, list: { ...next.list, wanted } });
}

/** Handles a refused edit: shows why in the form or the confirmation that asked for it, or else as a notice. */
export function refused(state: State, { code, message }: Failure): Step {
  const { mode } = state;
  if (mode.kind === "form") return step({ ...state, mode: { ...mode, problem: message } });
  if (mode.kind !== "confirm") return step(notify(state, message, "error"));
  if (!mode.isBusy) return step(state);
  // Asks again, with what the variable is now.
  if (code === "changed" && mode.back.kind === "form") {
    return step({ ...state, mode: mode.back }, prepareForm(mode.place, mode.back));
  }
  const isRepeated = mode.purpose === "undo" || mode.purpose === "redo";
  const problem = isRepeated ? `${message}. To ${mode.purpose} other edits, drop this one from the history` : message;
  return step({ ...state, mode: { ...mode, problem, isBusy: false } });
}
