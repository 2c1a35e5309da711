import { reload } from "../reading/loading.js";
import { unmarked } from "../reading/selection.js";
import { keyOf } from "../state/command.js";
import type { Failure } from "../state/loaded.js";
import { type Step, step } from "../state/messages.js";
import type { Confirmation, Mode } from "../state/modes.js";
import type { Edit } from "../state/ports.js";
import { notify, type State } from "../state/state.js";
import { prepareForm } from "./form.js";
import { doneText, historyAfter } from "./review-text.js";

/** Handles a written edit: shows a notice, keeps the edit for undo, and reads the variables again. */
export function applied(state: State): Step {
  const { writing, history } = state;
  if (!writing) return step(state);
  const { purpose, place, edit } = writing;
  const mode = withAnswered(state.mode, edit, ({ back }) => {
    return back.kind === "form" ? (back.back ?? { kind: "browse" }) : back;
  });
  const isOfMarked = purpose === "delete" || purpose === "take-over";
  const marks = isOfMarked ? unmarked(state, edit.changes) : state.marks;
  const written = { ...state, mode, writing: undefined, marks, history: historyAfter(history, writing) };
  // Keymaps are for browsing.
  const undoKey = mode.kind === "diff" || mode.kind === "matrix" ? "u" : keyOf(state, "undo");
  const next = notify(written, doneText(state, writing, undoKey), "success");
  if (place !== state.place) return step(next);
  const [change, ...others] = edit.changes;
  // An added variable is selected when it has been read.
  const wanted = others.length === 0 && change?.after ? change.name : next.list.wanted;
  return reload({ ...next, list: { ...next.list, wanted } });
}

/** Handles an edit that could not be written: its confirmation shows why, and a notice if something else covers it. */
export function notApplied(state: State, { code, message }: Failure): Step {
  const { writing, mode } = state;
  if (!writing) return step(state);
  const { purpose, edit } = writing;
  const isOpen = mode.kind === "confirm" && mode.edit === edit;
  const free: State = { ...state, writing: undefined };
  const shown = isOpen ? free : notify(free, message, "error");
  // Asks again, with the variable as it is now.
  if (isOpen && code === "changed" && mode.back.kind === "form") {
    return step({ ...shown, mode: mode.back }, prepareForm(mode.place, mode.back));
  }
  const isRepeated = purpose === "undo" || purpose === "redo";
  const problem = isRepeated ? `${message}. To ${purpose} other edits, drop this one from the history` : message;
  return step({ ...shown, mode: withAnswered(mode, edit, (confirmation) => ({ ...confirmation, problem })) });
}

/** The mode, with another one in the place of the confirmation of this edit, wherever that is gone back to. */
function withAnswered(mode: Mode, edit: Edit, next: (confirmation: Confirmation) => Mode): Mode {
  if (mode.kind === "confirm" && mode.edit === edit) return next(mode);
  if (mode.kind === "form" || !("back" in mode) || !mode.back) return mode;
  return { ...mode, back: withAnswered(mode.back, edit, next) };
}
