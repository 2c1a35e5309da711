import { type Step, step } from "../state/messages.js";
import type { State } from "../state/state.js";
import { confirmEdit } from "./confirm.js";
import { inverted } from "./history.js";

export function confirmUndo(state: State): Step {
  const last = state.history.done.at(-1);
  if (!last) return step(state);
  return step(confirmEdit(state, "undo", last.place, inverted(last.edit), { of: last.purpose }));
}

export function confirmRedo(state: State): Step {
  const next = state.history.undone.at(-1);
  if (!next) return step(state);
  return step(confirmEdit(state, "redo", next.place, next.edit, { of: next.purpose }));
}

export function whyNoUndo({ history }: State): string | undefined {
  return history.done.length > 0 ? undefined : "nothing to undo";
}

export function whyNoRedo({ history }: State): string | undefined {
  return history.undone.length > 0 ? undefined : "nothing to redo";
}
