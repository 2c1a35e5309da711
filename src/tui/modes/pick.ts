import { moveCursor } from "../state/cursor.js";
import { commandKeyName, type Key } from "../state/key.js";
import { bodyPage } from "../state/layout.js";
import { backToBrowse, notify, type State, type Step, step } from "../state/state.js";
import { openDiff } from "./diff.js";

/** Indexes of the places that the open one can be compared with. */
function otherPlaces({ places, place }: State): readonly number[] {
  return [...places.keys()].filter((index) => index !== place);
}

export function otherPlaceNames(state: State): readonly string[] {
  return otherPlaces(state).flatMap((index) => state.places[index]?.name ?? []);
}

/** Lets the person pick a place to compare with, unless there is only one. */
export function openPick(state: State): Step {
  const [first, ...more] = otherPlaces(state);
  if (first === undefined) return step(notify(state, "there is no other place to compare with"));
  return more.length === 0 ? openDiff(state, first) : step({ ...state, mode: { kind: "pick", cursor: first } });
}

/** @param cursor index of a place, which is never the open one */
export function pickKey(state: State, cursor: number, key: Key): Step {
  const name = commandKeyName(key);
  if (name === "escape" || name === "q") return step(backToBrowse(state));
  if (name === "enter") return openDiff(state, cursor);
  const places = otherPlaces(state);
  const moved = moveCursor({ cursor: places.indexOf(cursor), top: 0 }, places.length, bodyPage(state), name);
  const next = moved && places[moved.cursor];
  return step(next === undefined ? state : { ...state, mode: { kind: "pick", cursor: next } });
}
