import type { Effect } from "./effect.js";
import type { State } from "./state.js";

/** What a message makes of the state, and what is to be done for it. */
export type Step = readonly [state: State, effects: readonly Effect[]];

export function step(state: State, ...effects: Effect[]): Step {
  return [state, effects];
}
