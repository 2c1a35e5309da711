import { isDeepStrictEqual } from "node:util";
import type { Effect } from "../state/effects.js";
import type { Elsewhere, Failure, Other, PlaceInfo } from "../state/loaded.js";
import type { Step } from "../state/messages.js";
import { modesUnder } from "../state/modes.js";
import type { State } from "../state/state.js";
import { selectedEntry } from "./selection.js";

/** Indexes of the places in the group of the open one, which is among them. */
export function groupOf({ places, place }: Pick<State, "places" | "place">): readonly number[] {
  const group = places[place]?.group;
  return [...places.keys()].filter((index) => {
    return places[index]?.group === group && (index === place || !places[index]?.isGone);
  });
}

/** Reads the other places of the group that are not being read already. @param isWanted which of them, by default all */
export function readOthers(state: State, isWanted: (other: Other | undefined) => boolean = () => true): Step {
  const others = new Map(state.others);
  const effects: Effect[] = [];
  for (const place of groupOf(state)) {
    const other = others.get(place);
    if (place === state.place || other?.isReading || !isWanted(other)) continue;
    others.set(place, { isLocal: false, ...other, isReading: true });
    effects.push({ type: "readOther", place, known: other?.entries });
  }
  return effects.length === 0 ? [state, []] : [{ ...state, others }, effects];
}

/** Looks for changes where that sends no request: in places that have been read, and in local ones that failed. */
export function refreshOthers(state: State): Step {
  return readOthers(state, (other) => other?.isLocal === true);
}

/** Adds places, and hides those that are gone. The matrix reads the new ones. */
export function placesChanged(before: State, added: readonly PlaceInfo[], gone: readonly number[]): Step {
  const places = [...before.places, ...added].map((place, index): PlaceInfo => {
    return gone.includes(index) === (place.isGone ?? false) ? place : { ...place, isGone: gone.includes(index) };
  });
  const others = new Map([...before.others].filter(([index]) => !gone.includes(index)));
  // Of one that comes back nothing is known.
  const health = new Map([...before.health].filter(([index]) => !before.places[index]?.isGone));
  const placeCursor = gone.includes(before.placeCursor) ? before.place : before.placeCursor;
  const state: State = { ...before, places, others, health, placeCursor };
  const isMatrix = modesUnder(state.mode).some(({ kind }) => kind === "matrix");
  return isMatrix ? readOthers(state, (other) => other === undefined) : [state, []];
}

/** Handles the outcome of a read. Late answers are dropped. */
export function otherRead(state: State, place: number, outcome: Omit<Other, "isReading">): State {
  const other = state.others.get(place);
  if (!other?.isReading) return state;
  // After a failure, the last data stays on the screen.
  const failure = outcome.failure && withRetryTime(outcome.failure, state.now);
  const next: Other = { ...other, ...outcome, failure, isReading: false };
  return { ...state, others: new Map(state.others).set(place, next) };
}

/** A failure that came now, with the time until which it lasts. */
export function withRetryTime(failure: Failure, now: number): Failure {
  return failure.retryAfter ? { ...failure, retryAt: now + failure.retryAfter * 1_000 } : failure;
}

/** Indexes of other places that are being read for the matrix or a comparison, which a question may cover. */
export function placesBeingRead({ others, mode }: Pick<State, "others" | "mode">): readonly number[] {
  const compared = modesUnder(mode).flatMap((each) => {
    return each.kind === "diff" && each.phase === "loading" ? [each.place] : [];
  });
  return [...[...others].flatMap(([place, { isReading }]) => (isReading ? [place] : [])), ...compared];
}

/** When the oldest data on the screen was last known to be up to date; undefined if unknown. */
export function oldestAsOf({ loaded, others, mode }: Pick<State, "loaded" | "others" | "mode">): number | undefined {
  const compared = modesUnder(mode).flatMap((each) => (each.kind === "diff" ? [each] : []));
  const times = [...others.values(), ...compared].flatMap(({ asOf }) => (asOf === undefined ? [] : [asOf]));
  return loaded.asOf === undefined ? undefined : Math.min(loaded.asOf, ...times);
}

/** Frees the data of other places. */
export function withoutOthers(state: State): State {
  return state.others.size === 0 ? state : { ...state, others: new Map() };
}

/** Looks up the variable under the cursor in the other places of the group, as far as that sends no request. */
export function lookElsewhere(state: State): readonly Effect[] {
  const name = selectedEntry(state)?.variable.name;
  const places = groupOf(state).filter((place) => place !== state.place);
  return name === undefined || places.length === 0 ? [] : [{ type: "lookUp", name, places }];
}

/** Handles a finished lookup; dropped if the cursor has moved on. */
export function lookedUp(state: State, elsewhere: Elsewhere): State {
  if (selectedEntry(state)?.variable.name !== elsewhere.name) return state;
  return isDeepStrictEqual(state.elsewhere, elsewhere) ? state : { ...state, elsewhere };
}
