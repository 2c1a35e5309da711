import type { VariableEntry } from "../../domain/source.js";
import { commandKeyName, type Key } from "../state/key.js";
import { reload } from "../state/loading.js";
import type { Assigned, Edit } from "../state/ports.js";
import {
  backToBrowse,
  type Confirmation,
  type Failure,
  type Form,
  notify,
  type Purpose,
  type State,
  type Step,
  step,
} from "../state/state.js";
import { scrollConfirmation } from "../view/confirm-panel.js";

/** The content of a variable; undefined if it has no value here. */
export function assigned({ variable: { type, description }, value }: VariableEntry): Assigned | undefined {
  return value && { type, description, value: value.content.value };
}

/** Asks whether to make an edit. With a form, its input is shown; otherwise values are masked. */
export function confirmEdit(state: State, purpose: Purpose, edit: Edit, form?: Form): State {
  const isRevealed = form !== undefined;
  return { ...state, mode: { kind: "confirm", purpose, edit, isRevealed, isBusy: false, form, top: 0 } };
}

export function confirmDelete(state: State, entry: VariableEntry): Step {
  const { name } = entry.variable;
  const before = assigned(entry);
  if (!before) return step(notify(state, `${name} has no value here`, "error"));
  return step(confirmEdit(state, "delete", { name, before, after: undefined }));
}

/** The edits of the open place that can be undone, the newest last. */
export function undoable({ undo, place }: State): readonly Edit[] {
  return undo.get(place) ?? [];
}

export function confirmUndo(state: State): Step {
  const edit = undoable(state).at(-1);
  if (!edit) return step(notify(state, "nothing to undo"));
  return step(confirmEdit(state, "undo", { name: edit.name, before: edit.after, after: edit.before }));
}

/** While the edit is being written all keys are ignored, so that it is written once. */
export function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  const { edit, form, isBusy, isRevealed } = confirmation;
  if (isBusy) return step(state);
  const name = commandKeyName(key);
  switch (name) {
    case "y":
    case "enter":
      return step({ ...state, mode: { ...confirmation, isBusy: true, problem: undefined } }, { type: "apply", edit });
    case "n":
    case "escape":
      return step(form ? { ...state, mode: form } : backToBrowse(state));
    case "v":
      return step({ ...state, mode: { ...confirmation, isRevealed: !isRevealed, top: 0 } });
    default:
      return step({ ...state, mode: { ...confirmation, top: scrollConfirmation(state, confirmation, name) } });
  }
}

const DONE = { add: "added", edit: "changed", delete: "deleted", undo: "restored" } as const;

/** Handles a written edit: shows a notice, keeps the edit for undo, and reads the variables again. */
export function applied(state: State): Step {
  const { mode, place } = state;
  if (mode.kind !== "confirm" || !mode.isBusy) return step(state);
  const { purpose, edit } = mode;
  const isUndo = purpose === "undo";
  const text = `${DONE[purpose]} ${edit.name}${isUndo ? "" : "; u undoes it"}`;
  const edits = isUndo ? undoable(state).slice(0, -1) : [...undoable(state), edit];
  return reload({ ...backToBrowse(state, text, "success"), undo: new Map(state.undo).set(place, edits) });
}

/** Handles a refused edit: shows why in the form or the confirmation that asked for it. */
export function refused(state: State, { message }: Failure): State {
  const { mode } = state;
  if (mode.kind === "form") return { ...state, mode: { ...mode, problem: message } };
  if (mode.kind !== "confirm" || !mode.isBusy) return state;
  return { ...state, mode: { ...mode, problem: message, isBusy: false } };
}
