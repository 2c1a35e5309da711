import type { VariableEntry } from "../../domain/source.js";
import { assignedIn } from "../edit/confirm.js";
import { type Step, step } from "../state/messages.js";
import type { Assignment } from "../state/ports.js";
import { notify, type State } from "../state/state.js";
import { countText } from "../text/line.js";
import { openPick } from "./pick.js";
import { whyReadOnly } from "./read-only.js";

/** Lets the person pick the place to which the values are taken over. @param from theirs, by default the open place */
export function openTakeOver(state: State, entries: readonly VariableEntry[], from?: number): Step {
  return withValue(entries).length === 0
    ? step(notify(state, nothingText(entries), "error"))
    : openPick(state, { kind: "take-over", entries, from }, (next, place) => takeOver(next, entries, place));
}

/**
 * Prepares an edit that gives the variables of another place these values; an encrypted value is taken over as it is
 * stored. Variables without a value are left out.
 *
 * @param to index of the place that is edited
 */
export function takeOver(state: State, entries: readonly VariableEntry[], to: number): Step {
  const refusal = whyReadOnly(state, to);
  if (refusal !== undefined) return step(notify(state, refusal, "error"));
  const assignments = withValue(entries).map((entry): Assignment => {
    return { name: entry.variable.name, ...assignedIn(entry) };
  });
  if (assignments.length === 0) return step(notify(state, nothingText(entries), "error"));
  return step(state, { type: "assign", place: to, purpose: "take-over", assignments });
}

function withValue(entries: readonly VariableEntry[]): readonly VariableEntry[] {
  return entries.filter(({ value }) => value !== undefined);
}

function nothingText(entries: readonly VariableEntry[]): string {
  const [first, ...others] = entries;
  if (!first) return "no variable is selected";
  if (others.length === 0) return `${first.variable.name} has no value here`;
  return `none of the ${countText(entries.length)} variables has a value here`;
}
