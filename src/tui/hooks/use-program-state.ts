import { useSyncExternalStore } from "react";
import type { Program } from "../program.js";
import type { State } from "../state/state.js";

/** The state of the program, and a new picture whenever it has changed. */
export function useProgramState(program: Program): State {
  return useSyncExternalStore(program.subscribe, () => program.state);
}
