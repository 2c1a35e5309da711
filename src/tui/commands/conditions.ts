import type { VariableEntry } from "../../domain/source.js";
import { selectedEntry } from "../browse/list.js";
import { isReading } from "../browse/loading.js";
import { actsOnMarked, targetEntries } from "../browse/targets.js";
import type { Command } from "../state/command.js";
import { type Step, step } from "../state/messages.js";
import type { State } from "../state/state.js";

/** Actions on the variable under the cursor aren't offered where another one may seem to be meant. */
export const ON_VARIABLE = { panels: ["variables", "record"] } as const;

/** A command for the variable under the cursor. */
export function onEntry(run: (state: State, entry: VariableEntry) => Step): Command["run"] {
  return (state) => {
    const entry = selectedEntry(state);
    return entry ? run(state, entry) : step(state);
  };
}

/** A command for the marked variables, or else the one under the cursor. */
export function onTargets(
  run: (state: State, entries: readonly VariableEntry[], argument: string) => Step,
): Command["run"] {
  return (state, argument) => {
    const entries = targetEntries(state);
    return entries.length > 0 ? run(state, entries, argument) : step(state);
  };
}

export function whyNoEntry(state: State): string | undefined {
  return selectedEntry(state) ? undefined : "no variable is selected";
}

export function whyNoValue(state: State): string | undefined {
  const entry = selectedEntry(state);
  if (!entry) return whyNoEntry(state);
  if (entry.value) return undefined;
  return state.loaded.isComplete ? `${entry.variable.name} has no value here` : "still reading";
}

export function whyNotRead({ loaded }: State): string | undefined {
  if (loaded.isComplete) return undefined;
  return isReading(loaded) ? "still reading" : "the variables can't be read";
}

export function whyNotEdit(state: State): string | undefined {
  return isReadOnly(state) ? "the variables of a server can't be edited here" : whyNotRead(state);
}

export function whyNoEnvironments(state: State): string | undefined {
  return isReadOnly(state) ? "the environments of a server can't be changed here" : whyNotRead(state);
}

/** A place that has not been opened yet may be editable. */
function isReadOnly({ loaded }: State): boolean {
  return loaded.isComplete && !loaded.isEditable;
}

export function whyNoOther({ places }: State): string | undefined {
  return places.length > 1 ? undefined : "there is no other place to compare with";
}

export function whyNoTarget(state: State): string | undefined {
  return actsOnMarked(state) ? undefined : whyNoEntry(state);
}

export function whyNoTargetValue(state: State): string | undefined {
  return actsOnMarked(state) ? undefined : whyNoValue(state);
}

/** A label for the footer, where there is something that it can act on. */
export function ifListed(label: string): Command["label"] {
  return ({ loaded }) => (loaded.entries.length > 0 ? label : undefined);
}
