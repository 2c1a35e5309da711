import { expect, it } from "vitest";
import { applied } from "../../../src/tui/edit/outcome.js";
import { assigned } from "../../../src/tui/edit/review.js";
import { update } from "../../../src/tui/program/update.js";
import { openDiff } from "../../../src/tui/screens/diff.js";
import { openTakeOver, pickKey, takeOver } from "../../../src/tui/screens/places.js";
import { step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import { ENTRIES, entry, PLACES, press, readyState, SECRET, type } from "../support/state.js";
import { editOf, modeOf } from "../support/test-modes.js";

const [DATABASE, PORT, , TOKEN, UNSET] = ENTRIES as [never, never, never, never, never];

it("values are taken over to another place in one edit, without variables that have none", () => {
  const [, effects] = takeOver(readyState(), [DATABASE, UNSET, TOKEN], 2);
  const assignments = [
    { name: "DATABASE_URL", type: "STRING", description: "Primary database", value: SECRET },
    { name: "TOKEN", type: "STRING", description: "", value: "envbee:enc:v1:abc" },
  ];
  expect(effects).toEqual([{ type: "assign", place: 2, purpose: "take-over", assignments }]);
});

it.each([
  [[UNSET], "UNSET has no value here"],
  [[UNSET, entry("OTHER")], "none of the 2 variables has a value here"],
])("taking over says that there is no value", (entries, text) => {
  for (const [state, effects] of [takeOver(readyState(), entries, 1), openTakeOver(readyState(), entries)])
    expect([state.mode.kind, state.notice?.text, effects]).toEqual(["browse", text, []]);
});

const server = { name: "live", group: "127.0.0.1:7400", kind: "server", detail: "http://127.0.0.1:7400" } as const;
const [comparing] = openDiff(readyState(), 1);

it.each<[target: string, state: State, to: number, name: string]>([
  ["a server", readyState(ENTRIES, { places: [...readyState().places, server] }), 3, "live"],
  ["the open place", readyState(ENTRIES, { loaded: { isEditable: false } }), 0, "shop/development"],
  [
    "the place that is compared",
    { ...comparing, mode: { ...modeOf(comparing, "diff"), phase: "ready" } },
    1,
    "shop/test",
  ],
])("taking over to %s that is read-only says why not", (_target, state, to, name) => {
  const [{ notice }, effects] = takeOver(state, [PORT], to);
  const text = `${name} is read-only: the variables of a server can't be edited here`;
  expect([notice?.text, effects]).toEqual([text, []]);
});

it("> asks for a place, and the value is confirmed beside the current one there", () => {
  const [picking] = update(readyState(), { type: "key", key: type(">") });
  expect(modeOf(picking, "pick").purpose).toEqual({ kind: "take-over", entries: [DATABASE] });
  const chosen = update(picking, { type: "key", key: press("enter") });
  expect([chosen[0].mode.kind, chosen[1]]).toMatchObject(["browse", [{ type: "assign", place: 1 }]]);
  const assignedValue = (value: string) => ({ type: "STRING", description: "", value }) as const;
  const edit = editOf("DATABASE_URL", assignedValue("there"), assignedValue(SECRET));
  const asked = assigned(chosen[0], "take-over", 1, edit);
  expect(modeOf(asked, "confirm")).toMatchObject({ place: 1, purpose: "take-over", edit, isRevealed: false });
  const [done, effects] = applied({ ...asked, writing: modeOf(asked, "confirm") });
  expect([done.mode.kind, done.history.done, effects]).toEqual([
    "browse",
    [{ place: 1, purpose: "take-over", edit }],
    [],
  ]);
});

it("a place that is known to be read-only is not offered", () => {
  const [development, ...others] = PLACES;
  const state = readyState(ENTRIES, { places: [...(development ? [development] : []), server, ...others] });
  const [picking] = openTakeOver(state, ENTRIES);
  const mode = modeOf(picking, "pick");
  expect([
    mode.cursor,
    modeOf(
      pickKey(picking, mode, press("end"), (next) => step(next)),
      "pick",
    ).cursor,
  ]).toEqual([2, 3]);
});
