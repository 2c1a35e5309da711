import { editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { movedButton } from "../state/cursor.js";
import { type Step, step } from "../state/messages.js";
import type { Question } from "../state/modes.js";
import type { State } from "../state/state.js";

/** Asks before an effect. @param required what must be typed before */
export function ask(
  state: State,
  question: Pick<Question, "title" | "text" | "answer" | "effect">,
  required?: string,
): Step {
  const mode: Question = { ...question, kind: "ask", button: "yes", required, typed: textField(""), back: state.mode };
  return step({ ...state, notice: undefined, mode });
}

export function askKey(state: State, question: Question, key: Key): Step {
  const { effect, back, button, required, typed } = question;
  const go = (change: Partial<Question>) => step({ ...state, mode: { ...question, ...change } });
  const name = editKeyName(key);
  const moved = movedButton(["yes", "back"] as const, button, name);
  if (moved) return go({ button: moved });
  switch (name) {
    case "enter":
      if (button === "yes") break;
      return step({ ...state, mode: back });
    case "ctrl-s":
      break;
    case "escape":
      return step({ ...state, mode: back });
    default:
      return required === undefined ? step(state) : go({ typed: editLine(typed, key), problem: undefined });
  }
  if (required !== undefined && typed.text.trim() !== required) return go({ problem: `first type ${required}` });
  return step({ ...state, mode: back }, effect);
}
