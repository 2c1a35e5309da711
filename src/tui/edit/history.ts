import type { Confirmation, PlannedEdit } from "../state/modes.js";
import type { Edit } from "../state/ports.js";
import { type Done, type History, notify, type State } from "../state/state.js";
import { describeEdit } from "./edit-question.js";

/** The edit that undoes another. */
export function inverted({ changes }: Edit): Edit {
  return { changes: changes.map(({ name, before, after }) => ({ name, before: after, after: before })) };
}

/** The history after an edit was written. */
export function historyAfter({ done, undone }: History, planned: PlannedEdit): History {
  const { purpose, of = "edit", place } = planned;
  // A copy, because the lines of shown values are kept as long as the edit of the confirmation.
  const edit: Edit = { ...planned.edit };
  switch (purpose) {
    case "undo":
      return { done: done.slice(0, -1), undone: [...undone, { place, purpose: of, edit: inverted(edit) }] };
    case "redo":
      return { done: [...done, { place, purpose: of, edit }], undone: undone.slice(0, -1) };
    default:
      return { done: [...done, { place, purpose, edit }], undone: [] };
  }
}

/** The state after an edit that can't be undone or redone was taken out of the history, so that others can be. */
export function droppedFromHistory(state: State, confirmation: Confirmation): State {
  const { done, undone } = state.history;
  const without = (list: readonly Done[]) => list.slice(0, -1);
  const isUndo = confirmation.purpose === "undo";
  const history = isUndo ? { done: without(done), undone } : { done, undone: without(undone) };
  const text = `${describeEdit(state, confirmation)} was dropped from the history; nothing was changed`;
  return notify({ ...state, history, mode: confirmation.back }, text);
}
