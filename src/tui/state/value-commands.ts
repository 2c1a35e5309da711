import type { Entry } from "../ports.js";
import type { Command } from "./command.js";
import { decryptSelected, toggleAllRevealed, toggleRevealed } from "./reveal.js";
import { selectedEntry } from "./selected-entry.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";

/** What shows values, and takes them elsewhere. */
export const VALUE_COMMANDS: readonly Command[] = [
  {
    name: "reveal",
    keys: ["v"],
    label: "reveal",
    help: "show the value for 30 seconds, or mask it again",
    group: "Values",
    whyNot: noValue,
    run: withEntry((state, { variable }) => decryptSelected(toggleRevealed(state, variable.name))),
  },
  {
    name: "reveal-all",
    keys: ["V"],
    label: undefined,
    help: "show all values for a minute, or mask them again",
    group: "Values",
    run: (state) => decryptSelected(toggleAllRevealed(state)),
  },
  {
    name: "copy",
    keys: ["y"],
    label: "copy",
    help: "copy the value, masked or not",
    group: "Values",
    whyNot: noValue,
    run: withEntry((state, entry) => step(state, { type: "copyValue", entry })),
  },
  {
    name: "copy-command",
    keys: ["Y"],
    label: undefined,
    help: "copy a command for a shell that prints the value",
    group: "Values",
    whyNot: noValue,
    run: withEntry((state, { variable }) => step(state, { type: "copyCommand", name: variable.name })),
  },
];

function withEntry(run: (state: State, entry: Entry) => Step): Command["run"] {
  return (state) => {
    const entry = selectedEntry(state);
    return entry ? run(state, entry) : step(state);
  };
}

function noValue(state: State): string | undefined {
  const entry = selectedEntry(state);
  if (!entry) return "no variable is selected";
  if (entry.value) return undefined;
  return state.loaded.isComplete ? `${entry.variable.name} has no value here` : "still reading";
}
