import { commandKeyName, type Key } from "../input/key.js";
import { moveCursor } from "../state/cursor.js";
import { bodyPage } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import type { PickMode } from "../state/modes.js";
import { placeOrder } from "../state/places.js";
import { notify, type State } from "../state/state.js";
import { whyReadOnly } from "./read-only.js";

/** The use of the picked place. */
type OnPicked = (state: State, place: number) => Step;

/** Indexes of the places that can be picked: for a take-over, not those that are known to be read-only. */
function pickable(state: State, purpose: PickMode["purpose"]): readonly number[] {
  const others = otherPlaces(state, fromPlace(state, purpose));
  return purpose.kind === "compare" ? others : others.filter((index) => whyReadOnly(state, index) === undefined);
}

/** Indexes of all places but one, by default the open one. */
function otherPlaces({ places, place }: State, from = place): readonly number[] {
  return placeOrder(places).filter((index) => index !== from);
}

/** The place that values are compared with or taken over from. */
function fromPlace({ place }: State, purpose: PickMode["purpose"]): number {
  return purpose.kind === "compare" ? place : (purpose.from ?? place);
}

export function otherPlaceNames(state: State): readonly string[] {
  return otherPlaces(state).flatMap((index) => state.places[index]?.name ?? []);
}

/** Lets the person pick another place, unless there is only one. */
export function openPick(state: State, purpose: PickMode["purpose"], onPicked: OnPicked): Step {
  const from = fromPlace(state, purpose);
  const [first, ...more] = pickable(state, purpose);
  if (first === undefined) return step(notify(state, `there is no other place to ${NO_PLACE[purpose.kind]}`));
  if (more.length === 0) return onPicked(state, first);
  const inGroup = [first, ...more].find((index) => state.places[index]?.group === state.places[from]?.group);
  return step({ ...state, mode: { kind: "pick", purpose, cursor: inGroup ?? first, back: state.mode } });
}

const NO_PLACE = { compare: "compare with", "take-over": "take it over to" } as const;

export function pickKey(state: State, mode: PickMode, key: Key, onPicked: OnPicked): Step {
  const name = commandKeyName(key);
  const returned: State = { ...state, mode: mode.back };
  if (name === "escape" || name === "q") return step(returned);
  if (name === "enter") return onPicked(returned, mode.cursor);
  const places = pickable(state, mode.purpose);
  const moved = moveCursor({ cursor: places.indexOf(mode.cursor), top: 0 }, places.length, bodyPage(state), name);
  const cursor = moved && places[moved.cursor];
  return step(cursor === undefined ? state : { ...state, mode: { ...mode, cursor } });
}
