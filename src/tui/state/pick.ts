import { backToBrowse } from "./back-to-browse.js";
import { bodyPage } from "./body-page.js";
import { moveCursor } from "./cursor.js";
import { openDiff } from "./diff.js";
import type { Key } from "./message.js";
import { tell } from "./notices.js";
import type { Mode, State } from "./state.js";
import { type Step, step } from "./step.js";
import { commandKeyName } from "./typed.js";

type Pick = Extract<Mode, { readonly kind: "pick" }>;

/** Indexes of the places that the open one can be compared with. */
export function otherPlaces({ places, place }: State): readonly number[] {
  return places.flatMap((_, index) => (index === place ? [] : [index]));
}

/** Asks what to compare with, unless there is but one place for it. */
export function openPick(state: State): Step {
  const [first, ...more] = otherPlaces(state);
  if (first === undefined) return step(tell(state, "there is no other place to compare with"));
  return more.length === 0 ? openDiff(state, first) : step({ ...state, mode: { kind: "pick", cursor: first } });
}

/** The cursor, an index of a place, never comes to the open one. */
export function pickKey(state: State, pick: Pick, key: Key): Step {
  const name = commandKeyName(key);
  if (name === "escape" || name === "q") return step(backToBrowse(state));
  if (name === "enter") return openDiff(state, pick.cursor);
  const places = otherPlaces(state);
  const at = { cursor: places.indexOf(pick.cursor), top: 0 };
  const cursor = places[moveCursor(at, places.length, bodyPage(state), name)?.cursor ?? -1];
  return step(cursor === undefined ? state : { ...state, mode: { kind: "pick", cursor } });
}
