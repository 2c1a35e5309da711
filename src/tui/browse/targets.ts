import type { VariableEntry } from "../../domain/source.js";
import type { State } from "../state/state.js";
import { selectedEntry } from "./list.js";
import { hasMarks, withRange } from "./marks.js";

/** The variables that a command acts on, in the order of the source: those that are marked, or else the selected one. */
export function targetEntries(state: State): readonly VariableEntry[] {
  if (actsOnMarked(state)) {
    const { names } = withRange(state);
    return state.loaded.entries.filter(({ variable }) => names.has(variable.name));
  }
  const entry = selectedEntry(state);
  return entry ? [entry] : [];
}

/** Whether a command acts on marked variables instead of the selected one. The record shows one variable. */
export function actsOnMarked({ marks, focus }: Pick<State, "marks" | "focus">): boolean {
  return focus !== "record" && hasMarks(marks);
}
