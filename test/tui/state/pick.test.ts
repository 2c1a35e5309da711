import { expect, it } from "vitest";
import { openPick, otherPlaces, pickKey } from "../../../src/tui/state/pick.js";
import type { State } from "../../../src/tui/state/state.js";
import { type Step, step } from "../../../src/tui/state/step.js";
import { paste, press, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

/** The state with this many places. */
function placesState(count: number, place = 0): State {
  const places = Array.from({ length: count }, (_, index) => {
    return { name: `place${index}`, kind: "profile" as const, detail: "" };
  });
  return readyState([], { places, place });
}

function pressed(start: Step, ...names: readonly string[]): Step {
  return names.reduce((before, name) => pickKey(before[0], modeOf(before, "pick"), press(name)), start);
}

it("offers all places but the open one", () => {
  expect(otherPlaces(placesState(4, 1))).toEqual([0, 2, 3]);
});

it("goes straight to the comparison where there is one other place", () => {
  const opened = openPick(placesState(2, 1));
  expect([modeOf(opened, "diff").place, opened[1]]).toEqual([0, [{ type: "compare", place: 0 }]]);
});

it("says so where there is no other place", () => {
  const [state, effects] = openPick(placesState(1));
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
])("moves with %s, past the open place", (key, cursor) => {
  expect(modeOf(pressed(openPick(placesState(9, 3)), "j", "j", "j", key), "pick").cursor).toBe(cursor);
});

it("starts at the first place that is not open", () => {
  expect(modeOf(openPick(placesState(4)), "pick").cursor).toBe(1);
});

it("compares with the place under the cursor", () => {
  const chosen = pressed(openPick(placesState(4, 1)), "j", "enter");
  expect([modeOf(chosen, "diff").place, chosen[1]]).toEqual([2, [{ type: "compare", place: 2 }]]);
});

it.each(["escape", "q"])("goes back with %s", (key) => {
  expect(pressed(openPick(placesState(4)), key)).toEqual(step(placesState(4)));
});

it("does nothing with other keys, nor with a paste", () => {
  const [state] = openPick(placesState(4));
  const pick = modeOf(state, "pick");
  for (const key of [press("x"), paste("enter"), paste("jj"), paste("j")])
    expect(pickKey(state, pick, key)).toEqual(step(state));
});
