import { ask } from "../edit/ask.js";
import { acceptsQuestion, assigned } from "../edit/confirm.js";
import { type Message, type Step, step } from "../state/messages.js";
import { notify, type State } from "../state/state.js";
import { countText } from "../text/line.js";

/** Handles the edit made from a file: asks to confirm it. */
export function imported(state: State, { place, file, edit, notes }: Extract<Message, { type: "imported" }>): State {
  if (edit.changes.length === 0) return notify(state, [`${file.path} changes nothing`, ...notes].join("; "));
  const asked = assigned({ ...state, notice: undefined }, "import", place, edit);
  return notes.length > 0 && asked.mode !== state.mode ? notify(asked, notes.join("; ")) : asked;
}

/** Handles a file that was written, or that is already there. */
export function exported(state: State, { place, file, outcome }: Extract<Message, { type: "exported" }>): Step {
  if (outcome.kind === "exists") {
    const exists = `${file.path} already exists`;
    if (!acceptsQuestion(state)) return step(notify(state, `${exists}; nothing was written`, "error"));
    return ask(state, {
      title: "Export",
      text: `${exists}. Replace it?`,
      answer: "Replace",
      effect: { type: "export", place, file, isReplacing: true },
    });
  }
  const { count, notes } = outcome;
  const written = `wrote ${countText(count)} ${count === 1 ? "variable" : "variables"} to ${file.path}`;
  return step(notify(state, [written, ...notes].join("; "), notes.length > 0 ? "info" : "success"));
}
