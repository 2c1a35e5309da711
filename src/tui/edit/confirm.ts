import type { VariableEntry } from "../../domain/source.js";
import { REVEAL_MS } from "../browse/reveal.js";
import { commandKeyName, editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { movedButton } from "../state/cursor.js";
import type { EditPurpose, Purpose } from "../state/effects.js";
import { type Step, step } from "../state/messages.js";
import type { Answer, Confirmation } from "../state/modes.js";
import type { Assigned, Assignment, Edit } from "../state/ports.js";
import { isBeingWritten, notify, type State } from "../state/state.js";
import { scrollConfirmation } from "./confirm-panel.js";
import { answersOf, requiredText } from "./edit-question.js";
import { droppedFromHistory } from "./history.js";

/** The content of a variable for an edit. */
export function assignedIn({ variable: { id: _, name, ...definition }, value, rules }: VariableEntry): Assigned {
  return { ...definition, ...rules, value: value?.content.value };
}

/**
 * Asks whether to make an edit, with a way back to the present mode. The input of a form is shown; other values are
 * masked. The first button has the focus, as `u` undoes the edit, unless it would replace another program's change.
 */
export function confirmEdit(
  state: State,
  purpose: Purpose,
  place: number,
  edit: Edit,
  rest: Pick<Confirmation, "of" | "isChangedMeanwhile" | "text"> = {},
): State {
  const { mode: back } = state;
  const mode: Confirmation = {
    kind: "confirm",
    purpose,
    place,
    edit: { ...edit },
    ...rest,
    isRevealed: back.kind === "form",
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

/** Handles an edit that was prepared without a form: asks to confirm it, unless the keys have another meaning by now. */
export function assigned(state: State, purpose: EditPurpose, place: number, edit: Edit): State {
  if (edit.changes.length === 0) return notify(state, "nothing to change");
  if (!acceptsQuestion(state)) return notify(state, "the edit was dropped: something else is open", "error");
  return confirmEdit(state, purpose, place, edit);
}

/** Whether a question may open that no key has asked for just now: an Enter that was meant for something else answers it. */
export function acceptsQuestion({ mode: { kind } }: State): boolean {
  return kind === "browse" || kind === "diff" || kind === "matrix";
}

/** While the edit is being written all keys are ignored, so that it is written once. */
export function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  if (isBeingWritten(state, confirmation)) return step(state);
  const isTyping = requiredText(state, confirmation) !== undefined;
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  const go = (change: Partial<Confirmation>) => step({ ...state, mode: { ...confirmation, ...change } });
  const moved = movedButton(answersOf(confirmation), confirmation.button, name);
  if (moved) return go({ button: moved });
  switch (name) {
    case "enter":
      return answered(state, confirmation, confirmation.button);
    case "ctrl-s":
      // Pressed twice in the form, it would replace an unseen change.
      if (confirmation.isChangedMeanwhile) return go({ problem: "Ctrl-S doesn't save over it: press Tab, then Enter" });
      return answered(state, confirmation, "yes");
    case "escape":
      return answered(state, confirmation, "back");
    case "ctrl-x":
      return answered(state, confirmation, "drop");
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
      return step({ ...state, mode: withReveal(confirmation, !confirmation.isRevealed, state.now + REVEAL_MS) });
    case "y":
      return step(notify(state, "y is no answer: press Enter on a button, or Ctrl-S"));
    default:
      return step({ ...state, mode: { ...confirmation, top: scrollConfirmation(state, confirmation, name) } });
  }
}

function answered(state: State, confirmation: Confirmation, answer: Answer): Step {
  const { purpose, place, edit, of, back, typed } = confirmation;
  if (!answersOf(confirmation).includes(answer)) return step(state);
  if (answer === "back") return step({ ...state, mode: back });
  if (answer === "drop") return step(droppedFromHistory(state, confirmation));
  const required = requiredText(state, confirmation);
  if (required !== undefined && typed.text.trim() !== required) {
    return step({ ...state, mode: { ...confirmation, problem: `first type ${required}` } });
  }
  if (state.writing) return step({ ...state, mode: { ...confirmation, problem: "another edit is being written" } });
  const mode: Confirmation = { ...confirmation, problem: undefined };
  const writing = { purpose, place, edit, of };
  return step({ ...state, mode, writing, notice: undefined }, { type: "apply", place, edit });
}

/** Masks the values that `v` has revealed, after their time. */
export function expireConfirmation(state: State): State {
  const { mode, now } = state;
  const isOver = mode.kind === "confirm" && mode.shownUntil !== undefined && mode.shownUntil <= now;
  return isOver ? { ...state, mode: withReveal(mode, false) } : state;
}

function withReveal(confirmation: Confirmation, isRevealed: boolean, until?: number): Confirmation {
  return { ...confirmation, isRevealed, shownUntil: isRevealed ? until : undefined, top: 0 };
}
