import type { VariableEntry } from "../../domain/source.js";
import { type Step, step } from "../state/messages.js";
import type { ModeKey } from "../state/mode-keys.js";
import type { Comparison } from "../state/modes.js";
import type { State } from "../state/state.js";
import { placeName } from "../view/places-panel.js";
import { whyReadOnly } from "./read-only.js";
import { takeOver } from "./take-over.js";

type Run = ModeKey<Comparison>["run"];
type WhyNot = NonNullable<ModeKey<Comparison>["whyNot"]>;
type Side = "open" | "other";

/** Indexes of the place on a side, and of the one across. */
function placesOf(state: State, { place }: Comparison, side: Side): readonly [own: number, across: number] {
  return side === "open" ? [state.place, place] : [place, state.place];
}

/** The variable under the cursor, in the place on a side. */
function entryOf(state: State, { differences, cursor, others }: Comparison, side: Side): VariableEntry | undefined {
  const name = differences[cursor]?.name;
  return (side === "open" ? state.loaded.entries : others).find(({ variable }) => variable.name === name);
}

/** Runs something with the variable under the cursor. */
export function onEntry(side: Side, run: (state: State, entry: VariableEntry, comparison: Comparison) => Step): Run {
  return (state, comparison) => {
    const entry = entryOf(state, comparison, side);
    return entry ? run(state, entry, comparison) : step(state);
  };
}

export function copy(side: Side): Run {
  return onEntry(side, (state, entry, comparison) => {
    const [place] = placesOf(state, comparison, side);
    return step(state, { type: "copy", place, entries: [entry], format: "value" });
  });
}

export function takeOverFrom(side: Side): Run {
  return onEntry(side, (state, entry, comparison) => takeOver(state, [entry], placesOf(state, comparison, side)[1]));
}

export function whyNoDifference(_state: State, { differences }: Comparison): string | undefined {
  return differences.length > 0 ? undefined : "there is no difference";
}

export function whyNoValue(side: Side): WhyNot {
  return (state, comparison) => {
    const { name, before, after } = comparison.differences[comparison.cursor] ?? {};
    if (name === undefined) return whyNoDifference(state, comparison);
    return (side === "open" ? before : after)
      ? undefined
      : noValueText(state, name, placesOf(state, comparison, side)[0]);
  };
}

export function whyNotTakeOver(side: Side): WhyNot {
  return (state, comparison) =>
    whyNoValue(side)(state, comparison) ?? whyReadOnly(state, placesOf(state, comparison, side)[1]);
}

/** A variable without a value can be edited. */
export function whyNotEdit(state: State, comparison: Comparison): string | undefined {
  const name = comparison.differences[comparison.cursor]?.name;
  if (name === undefined) return whyNoDifference(state, comparison);
  const refusal = whyReadOnly(state, state.place);
  if (refusal !== undefined || entryOf(state, comparison, "open")) return refusal;
  return noValueText(state, name, state.place);
}

function noValueText(state: State, name: string, place: number): string {
  return `${name} has no value in ${placeName(state, place)}`;
}
