import { expect, it } from "vitest";
import { openDiff } from "../../../src/tui/screens/diff.js";
import { openPick, otherPlaceNames, pickKey } from "../../../src/tui/screens/places.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import { paste, press, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

/** The state with this many places. */
function placesState(count: number, place = 0): State {
  const places = Array.from({ length: count }, (_, index) => {
    return { name: `place${index}`, group: "server", kind: "profile" as const, detail: "" };
  });
  return readyState([], { places, place });
}

function pressed(start: Step, ...names: readonly string[]): Step {
  return names.reduce((before, name) => pickKey(before[0], modeOf(before, "pick"), press(name), openDiff), start);
}

const openCompare = (state: State): Step => openPick(state, { kind: "compare" }, openDiff);

it("a comparison is offered with all places but the open one", () => {
  expect(otherPlaceNames(placesState(4, 1))).toEqual(["place0", "place2", "place3"]);
});

it("a single other place is compared without asking", () => {
  const opened = openCompare(placesState(2, 1));
  expect([modeOf(opened, "diff").place, opened[1]]).toEqual([0, [{ type: "compare", place: 0 }]]);
});

it("a comparison without another place shows a notice", () => {
  const [state, effects] = openCompare(placesState(1));
  expect([state.mode.kind, state.notice?.text, effects]).toEqual([
    "browse",
    "there is no other place to compare with",
    [],
  ]);
});

it.each([
  ["down", 5],
  ["j", 5],
  ["up", 2],
  ["k", 2],
  ["home", 0],
  ["end", 8],
  ["pagedown", 8],
])("%s moves through the places to compare, past the open one", (key, cursor) => {
  expect(modeOf(pressed(openCompare(placesState(9, 3)), "j", "j", "j", key), "pick").cursor).toBe(cursor);
});

it("the list of places to compare starts at the first one that isn't open", () => {
  expect(modeOf(openCompare(placesState(4)), "pick").cursor).toBe(1);
});

it("Enter compares with the place under the cursor", () => {
  const chosen = pressed(openCompare(placesState(4, 1)), "j", "enter");
  expect([modeOf(chosen, "diff").place, chosen[1]]).toEqual([2, [{ type: "compare", place: 2 }]]);
});

it.each(["escape", "q"])("%s closes the list of places to compare", (key) => {
  expect(pressed(openCompare(placesState(4)), key)).toEqual(step(placesState(4)));
});

it("the list of places to compare ignores other keys and pastes", () => {
  const [state] = openCompare(placesState(4));
  const mode = modeOf(state, "pick");
  for (const key of [press("x"), paste("enter"), paste("jj"), paste("j")])
    expect(pickKey(state, mode, key, openDiff)).toEqual(step(state));
});
