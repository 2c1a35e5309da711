import { isDeepStrictEqual } from "node:util";
import type { Elsewhere, Failure, Other, PlaceInfo } from "../state/loaded.js";
import { toFailure } from "../state/opened-places.js";
import { withHealth } from "../state/places.js";
import type { Next, State, Step, Work } from "../state/state.js";
import { step } from "../state/work.js";
import { lookUp, readBeside } from "./read-place.js";
import { selectedEntry } from "./selection.js";

/** Indexes of the places in the group of the open one, which is among them. */
export function groupOf({ places, place }: Pick<State, "places" | "place">): readonly number[] {
  const group = places[place]?.group;
  return [...places.keys()].filter((index) => {
    return places[index]?.group === group && (index === place || !places[index]?.isGone);
  });
}

/** Reads the other places of the group. @param isWanted which of them, by default all */
export function readOthers(state: State, isWanted: (other: Other | undefined) => boolean = () => true): Step {
  return readPlaces(
    state,
    groupOf(state).filter((place) => isWanted(state.others.get(place))),
  );
}

/** Reads places beside the open one that are not being read already. */
export function readPlaces(state: State, places: readonly number[]): Step {
  const others = new Map(state.others);
  const work: Work[] = [];
  for (const place of places) {
    const other = others.get(place);
    if (place === state.place || other?.isReading) continue;
    others.set(place, { isLocal: false, ...other, isReading: true });
    work.push(readOther(place, other?.entries));
  }
  return work.length === 0 ? [state, []] : [{ ...state, others }, work];
}

function readOther(place: number, known: Other["entries"]): Work {
  const outcome = (other: Omit<Other, "isReading">): Next => {
    return (now) => step(otherRead(withHealth(now, place, other.failure ? "failed" : "ok"), place, other));
  };
  return async (tools) => {
    try {
      const read = await readBeside(tools, place, known);
      return read && outcome(read);
    } catch (error) {
      const isLocal = tools.places.at(place)?.kind === "environment";
      return outcome({ failure: toFailure(error), isLocal });
    }
  };
}

/** Looks for changes where that sends no request: in places that have been read, and in local ones that failed. */
export function refreshOthers(state: State): Step {
  return readPlaces(
    state,
    [...state.others].flatMap(([place, { isLocal }]) => (isLocal ? [place] : [])),
  );
}

/** Adds places, and hides those that are gone. */
export function placesChanged(before: State, added: readonly PlaceInfo[], gone: readonly number[]): State {
  const places = [...before.places, ...added].map((place, index): PlaceInfo => {
    return gone.includes(index) === (place.isGone ?? false) ? place : { ...place, isGone: gone.includes(index) };
  });
  const others = new Map([...before.others].filter(([index]) => !gone.includes(index)));
  // Of one that comes back nothing is known.
  const health = new Map([...before.health].filter(([index]) => !before.places[index]?.isGone));
  const placeCursor = gone.includes(before.placeCursor) ? before.place : before.placeCursor;
  return { ...before, places, others, health, placeCursor };
}

/** Handles the outcome of a read. Late answers are dropped. */
function otherRead(state: State, place: number, outcome: Omit<Other, "isReading">): State {
  const other = state.others.get(place);
  if (!other?.isReading) return state;
  // After a failure, the last data stays on the screen.
  const failure = outcome.failure && withRetryTime(outcome.failure, state.now);
  const next: Other = { ...other, ...outcome, failure, isReading: false };
  return { ...state, others: new Map(state.others).set(place, next) };
}

/** A failure that came now, with the time until which it lasts. */
function withRetryTime(failure: Failure, now: number): Failure {
  return failure.retryAfter ? { ...failure, retryAt: now + failure.retryAfter * 1_000 } : failure;
}

/** Frees the data of other places. */
export function withoutOthers(state: State): State {
  return state.others.size === 0 ? state : { ...state, others: new Map() };
}

/** Looks up the variable under the cursor in the other places of the group, as far as that sends no request. */
export function lookElsewhere(state: State): Step {
  const name = selectedEntry(state)?.variable.name;
  const places = groupOf(state).filter((place) => place !== state.place);
  if (name === undefined || places.length === 0) return step(state);
  return step(state, async (tools) => {
    const elsewhere = await lookUp(tools, name, places);
    return elsewhere.values.size > 0 ? (now) => step(lookedUp(now, elsewhere)) : undefined;
  });
}

/** Handles a finished lookup; dropped if the cursor has moved on. */
function lookedUp(state: State, elsewhere: Elsewhere): State {
  if (selectedEntry(state)?.variable.name !== elsewhere.name) return state;
  return isDeepStrictEqual(state.elsewhere, elsewhere) ? state : { ...state, elsewhere };
}
