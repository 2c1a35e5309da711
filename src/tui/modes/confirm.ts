import type { VariableEntry } from "../../domain/source.js";
import { commandKeyName, type Key } from "../state/key.js";
import { reload } from "../state/loading.js";
import type { Assigned, Assignment, Edit } from "../state/ports.js";
import {
  type Confirmation,
  type Done,
  type Failure,
  type History,
  notify,
  type Purpose,
  type State,
  type Step,
  step,
} from "../state/state.js";
import { scrollConfirmation } from "../view/confirm-panel.js";
import { variablesText } from "../view/panel-content.js";

/** The content of a variable for an edit. */
export function assignedIn({ variable: { type, description }, value }: VariableEntry): Assigned {
  return { type, description, value: value?.content.value };
}

/** Asks whether to make an edit, with a way back to the present mode. The input of a form is shown; other values are masked. */
export function confirmEdit(state: State, purpose: Purpose, place: number, edit: Edit): State {
  const { mode: back } = state;
  const isRevealed = back.kind === "form";
  return { ...state, mode: { kind: "confirm", purpose, place, edit, isRevealed, isBusy: false, back, top: 0 } };
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

export function confirmUndo(state: State): Step {
  const last = state.history.done.at(-1);
  if (!last) return step(notify(state, "nothing to undo"));
  return step(confirmEdit(state, "undo", last.place, inverted(last.edit)));
}

export function confirmRedo(state: State): Step {
  const next = state.history.undone.at(-1);
  if (!next) return step(notify(state, "nothing to redo"));
  return step(confirmEdit(state, "redo", next.place, next.edit));
}

function inverted({ changes }: Edit): Edit {
  return { changes: changes.map(({ name, before, after }) => ({ name, before: after, after: before })) };
}

/** While the edit is being written all keys are ignored, so that it is written once. */
export function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  const { place, edit, back, isBusy, isRevealed } = confirmation;
  if (isBusy) return step(state);
  const name = commandKeyName(key);
  switch (name) {
    case "y":
    case "enter":
      return step(
        { ...state, mode: { ...confirmation, isBusy: true, problem: undefined } },
        { type: "apply", place, edit },
      );
    case "n":
    case "escape":
      return step({ ...state, mode: back });
    case "v":
      return step({ ...state, mode: { ...confirmation, isRevealed: !isRevealed, top: 0 } });
    default:
      return step({ ...state, mode: { ...confirmation, top: scrollConfirmation(state, confirmation, name) } });
  }
}

const DONE: Readonly<Record<Purpose, string>> = {
  add: "added",
  edit: "changed",
  delete: "deleted",
  "take-over": "took over",
  import: "imported",
  undo: "restored",
  redo: "made the edit of",
};

/** Handles a written edit: shows a notice, keeps the edit for undo, and reads the variables again. */
export function applied(state: State): Step {
  const { mode, history } = state;
  if (mode.kind !== "confirm" || !mode.isBusy) return step(state);
  const { purpose, place, edit, back } = mode;
  const text = `${DONE[purpose]} ${variablesText(edit.changes)}${purpose === "undo" ? "" : "; u undoes it"}`;
  const returned: State = { ...state, mode: back.kind === "form" ? { kind: "browse" } : back };
  const next = notify({ ...returned, history: historyAfter(history, purpose, { place, edit }) }, text, "success");
  return place === state.place ? reload(next) : step(next);
}

function historyAfter({ done, undone }: History, purpose: Purpose, { place, edit }: Done): History {
  switch (purpose) {
    case "undo":
      return { done: done.slice(0, -1), undone: [...undone, { place, edit: inverted(edit) }] };
    case "redo":
      return { done: [...done, { place, edit }], undone: undone.slice(0, -1) };
    default:
      return { done: [...done, { place, edit }], undone: [] };
  }
}

/** Handles a refused edit: shows why in the form or the confirmation that asked for it, or else as a notice. */
export function refused(state: State, { message }: Failure): State {
  const { mode } = state;
  if (mode.kind === "form") return { ...state, mode: { ...mode, problem: message } };
  if (mode.kind !== "confirm") return notify(state, message, "error");
  return mode.isBusy ? { ...state, mode: { ...mode, problem: message, isBusy: false } } : state;
}
