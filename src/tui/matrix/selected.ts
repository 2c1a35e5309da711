import type { VariableEntry } from "../../domain/source.js";
import { type Step, step } from "../state/messages.js";
import type { ModeKey } from "../state/mode-keys.js";
import type { Matrix } from "../state/modes.js";
import type { State } from "../state/state.js";
import { placeName } from "../view/places-panel.js";
import { matrixPosition } from "./position.js";

/** The cell under the cursor. */
export function selected(state: State, matrix: Matrix) {
  const { table, rows, cursor, column } = matrixPosition(state, matrix);
  const row = rows[cursor];
  const { place = state.place, cells } = table.columns[column] ?? {};
  return { place, name: table.names[row ?? -1], entry: row === undefined ? undefined : cells?.[row] };
}

/** Runs something with the variable under the cursor, and the index of its place. */
export function onEntry(
  run: (state: State, entry: VariableEntry, place: number, matrix: Matrix) => Step,
): ModeKey<Matrix>["run"] {
  return (state, matrix) => {
    const { entry, place } = selected(state, matrix);
    return entry ? run(state, entry, place, matrix) : step(state);
  };
}

export function whyNoName(state: State, matrix: Matrix): string | undefined {
  return selected(state, matrix).name === undefined ? "no variable is selected" : undefined;
}

export function whyNoValue(state: State, matrix: Matrix): string | undefined {
  const { place, name, entry } = selected(state, matrix);
  if (entry?.value) return undefined;
  return name === undefined ? "no variable is selected" : `${name} has no value in ${placeName(state, place)}`;
}

/** A variable without a value can be edited. */
export function whyNotEdit(state: State, matrix: Matrix): string | undefined {
  const { place, entry } = selected(state, matrix);
  const isEditable = place === state.place ? state.loaded.isEditable : state.others.get(place)?.isLocal;
  if (!isEditable) return `${placeName(state, place)} can't be edited here`;
  return entry ? undefined : whyNoValue(state, matrix);
}
