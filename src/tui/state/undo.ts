import { askTo } from "./confirm.js";
import { tell } from "./notices.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";

/** Shows the newest edit of this session turned around, to be confirmed. */
export function askToUndo(state: State): Step {
  const edit = state.undo.at(-1);
  if (!edit) return step(tell(state, "nothing to undo"));
  return step(askTo(state, "undo", { name: edit.name, before: edit.after, after: edit.before }));
}
