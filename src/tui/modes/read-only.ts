import type { State } from "../state/state.js";
import { placeName } from "../view/places-panel.js";

/** Why a place can't be edited, as far as known. */
export function whyReadOnly(state: State, place: number): string | undefined {
  const { mode, loaded } = state;
  const isRead = place === state.place && loaded.isComplete && !loaded.isEditable;
  const isCompared = mode.kind === "diff" && mode.place === place && mode.phase === "ready" && !mode.isEditable;
  if (!isRead && !isCompared && state.places[place]?.kind !== "server") return undefined;
  return `${placeName(state, place)} is read-only: the variables of a server can't be edited here`;
}
