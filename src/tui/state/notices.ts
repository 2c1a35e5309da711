import type { Notice, State } from "./state.js";

const INFO_MS = 5_000;
const ERROR_MS = 10_000;

/** The state with a line that tells what has happened. It holds no value. */
export function tell(state: State, text: string, tone: Notice["tone"] = "info"): State {
  return { ...state, notice: { text, tone, until: state.now + (tone === "error" ? ERROR_MS : INFO_MS) } };
}
