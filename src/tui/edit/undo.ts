import { type Step, step } from "../state/messages.js";
import type { Edit } from "../state/ports.js";
import { type Done, isBeingWritten, type State } from "../state/state.js";
import { confirmEdit } from "./confirm.js";
import { inverted } from "./history.js";

export function confirmUndo(state: State): Step {
  const last = state.history.done.at(-1);
  if (!last) return step(state);
  return confirmAgain(state, "undo", { ...last, edit: inverted(last.edit) });
}

export function confirmRedo(state: State): Step {
  const next = state.history.undone.at(-1);
  if (!next) return step(state);
  return confirmAgain(state, "redo", next);
}

function confirmAgain(before: State, purpose: "undo" | "redo", { place, purpose: of, edit }: Done): Step {
  const state = confirmEdit(before, purpose, place, edit, { of });
  const { mode } = state;
  return mode.kind === "confirm" ? step(state, { type: "renew", place, edit: mode.edit }) : step(state);
}

/** Asks about an edit of the history, given its effect on the present data. */
export function renewed(state: State, edit: Edit, now: Edit): State {
  const { mode } = state;
  if (mode.kind !== "confirm" || isBeingWritten(state, mode) || mode.edit !== edit) return state;
  return { ...state, mode: { ...mode, edit: now } };
}

export function whyNoUndo({ history }: State): string | undefined {
  return history.done.length > 0 ? undefined : "nothing to undo";
}

export function whyNoRedo({ history }: State): string | undefined {
  return history.undone.length > 0 ? undefined : "nothing to redo";
}
