import { editKeyName, type Key } from "../input/key.js";
import { editLine, textField } from "../input/text-field.js";
import { movedButton } from "../state/cursor.js";
import { type Step, step } from "../state/messages.js";
import type { Mode, Question } from "../state/modes.js";
import type { State } from "../state/state.js";

/** Asks before an effect, or before the present mode is closed. */
export function ask(
  state: State,
  question: Pick<Question, "title" | "text" | "answer" | "isDestructive" | "effect" | "required">,
): Step {
  const button = question.isDestructive ? "back" : "yes";
  const mode: Question = { ...question, kind: "ask", button, typed: textField(""), back: state.mode };
  return step({ ...state, notice: undefined, mode });
}

export function askKey(state: State, question: Question, key: Key): Step {
  const { back, button, required, typed } = question;
  const answerKey = question.isDestructive ? "ctrl-x" : "ctrl-s";
  const go = (change: Partial<Question>) => step({ ...state, mode: { ...question, ...change } });
  const name = editKeyName(key);
  const moved = movedButton(["yes", "back"] as const, button, name);
  if (moved) return go({ button: moved });
  if (name === "escape" || (name === "enter" && button === "back")) return step({ ...state, mode: back });
  if (name !== "enter" && name !== answerKey) {
    return required === undefined ? step(state) : go({ typed: editLine(typed, key), problem: undefined });
  }
  if (required !== undefined && typed.text.trim() !== required) return go({ problem: `first type ${required}` });
  if (question.effect) return step({ ...state, mode: back }, question.effect);
  const closed: Mode = "back" in back && back.back ? back.back : { kind: "browse" };
  return step({ ...state, mode: closed });
}
