import type { VariableEntry } from "../../domain/source.js";
import { type Command, command } from "../state/command.js";
import { selectedEntry } from "../state/list.js";
import { decryptSelected, toggleAllRevealed, toggleRevealed } from "../state/reveal.js";
import { type State, type Step, step } from "../state/state.js";

export const VALUE_COMMANDS: readonly Command[] = [
  command("Values", "reveal", "v", "show the value for 30 seconds, or mask it again", {
    label: "reveal",
    disabledReason: whyNoValue,
    run: withEntry((state, { variable }) => decryptSelected(toggleRevealed(state, variable.name))),
  }),
  command("Values", "reveal-all", "V", "show all values for a minute, or mask them again", {
    run: (state) => decryptSelected(toggleAllRevealed(state)),
  }),
  command("Values", "copy", "y", "copy the value, even while it is masked", {
    label: "copy",
    disabledReason: whyNoValue,
    run: withEntry((state, entry) => step(state, { type: "copyValue", entry })),
  }),
  command("Values", "copy-command", "Y", "copy a shell command that prints the value", {
    disabledReason: whyNoValue,
    run: withEntry((state, { variable }) => step(state, { type: "copyCommand", name: variable.name })),
  }),
];

function whyNoValue(state: State): string | undefined {
  const entry = selectedEntry(state);
  if (!entry) return whyNoEntry(state);
  if (entry.value) return undefined;
  return state.loaded.isComplete ? `${entry.variable.name} has no value here` : "still reading";
}

export function withEntry(run: (state: State, entry: VariableEntry) => Step): Command["run"] {
  return (state) => {
    const entry = selectedEntry(state);
    return entry ? run(state, entry) : step(state);
  };
}

export function whyNoEntry(state: State): string | undefined {
  return selectedEntry(state) ? undefined : "no variable is selected";
}
