import { layoutOf } from "./layout.js";
import type { State } from "./state.js";

/** Lines that a panel which fills the screen has for text: all but its border. */
export function bodyPage(state: State): number {
  return Math.max(1, layoutOf(state).body.height - 2);
}
