import { commandKeyName, type Key } from "../state/key.js";
import { type Question, type State, type Step, step } from "../state/state.js";

/** Asks before an effect. */
export function ask(state: State, question: Omit<Question, "kind" | "back">): Step {
  return step({ ...state, mode: { ...question, kind: "ask", back: state.mode } });
}

export function askKey(state: State, { effect, back }: Question, key: Key): Step {
  switch (commandKeyName(key)) {
    case "enter":
    case "ctrl-s":
      return step({ ...state, mode: back }, effect);
    case "escape":
    case "n":
    case "q":
      return step({ ...state, mode: back });
    default:
      return step(state);
  }
}
