import { expect, it } from "vitest";
import { headerLine } from "../../../src/tui/program/header.js";
import { update } from "../../../src/tui/program/update.js";
import { tableOf } from "../../../src/tui/reading/matrix-table.js";
import { selectedEntry } from "../../../src/tui/reading/selection.js";
import { openMatrix } from "../../../src/tui/screens/matrix.js";
import { otherPlaceNames } from "../../../src/tui/screens/places.js";
import type { PlaceInfo } from "../../../src/tui/state/loaded.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import { placeRows } from "../../../src/tui/state/places.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { entry, finished, NOW, PLACES, paste, press, readyState, type } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

const OWN = [entry("A", "a"), entry("B", "b"), entry("C"), entry("D", "envbee:enc:v1:d")];
const TEST = [entry("A", "a"), entry("B", "other"), entry("C"), entry("D", "envbee:enc:v1:other")];

function pressed(from: State | Step, ...keys: readonly (Key | string)[]): Step {
  const start = "mode" in from ? step(from) : from;
  const named = keys.map((key) => (typeof key === "string" ? press(key) : key));
  return named.reduce(([state]: Step, key) => update(state, { type: "key", key }), start);
}

/** The matrix of three places, of which the third can't be read. */
function ready(change: Partial<State> = {}): State {
  const [opened] = openMatrix(readyState(OWN, change));
  const [read] = update(opened, { type: "otherRead", place: 1, entries: TEST, isLocal: true });
  const failure = { code: "unreachable", message: "no answer" };
  return update(read, { type: "otherRead", place: 2, failure, isLocal: false })[0];
}

const cell = (from: State | Step) => {
  const { name, place } = modeOf(from, "matrix");
  return [name, place];
};

it("m reads the other places of the group, each once, with the cursor on the selected variable", () => {
  const opened = pressed(readyState(OWN, { list: { cursor: 1 } }), "m");
  expect(opened[1]).toEqual([
    { type: "readOther", place: 1, known: undefined },
    { type: "readOther", place: 2, known: undefined },
  ]);
  expect(cell(opened)).toEqual(["B", 0]);
  expect(pressed(opened, "r")[1].map((effect) => effect.type)).toEqual(["load"]);
});

it("a place that is added while the matrix is open, or a question covers it, is read", () => {
  const added = { type: "placesChanged", added: [{ ...PLACES[0], name: "shop/new" } as PlaceInfo], gone: [] } as const;
  const read = { type: "readOther", place: 3, known: undefined };
  expect(update(ready(), added)[1]).toEqual([read]);
  expect(update(pressed(ready(), "e")[0], added)[1]).toEqual([read]);
  expect(update(pressed(ready(), "escape")[0], added)[1]).toEqual([]);
});

it("a place that is gone is neither in the matrix nor in a list, until it comes back", () => {
  const changed = (from: State, ...gone: number[]) => update(from, { type: "placesChanged", added: [], gone });
  const [gone] = changed(ready(), 1);
  expect(tableOf(gone).columns.map(({ place }) => place)).toEqual([0, 2]);
  expect(placeRows(gone.places)).toEqual([{ group: "shop" }, { index: 0 }, { index: 2 }]);
  expect(otherPlaceNames(gone)).toEqual(["shop/production"]);
  const back = changed(gone);
  expect(tableOf(back[0]).columns.map(({ place }) => place)).toEqual([0, 1, 2]);
  expect(back[1]).toEqual([{ type: "readOther", place: 1, known: undefined }]);
});

it("places of other groups are left out", () => {
  const { places } = readyState();
  const state = readyState(OWN, { places: places.map((place, index) => ({ ...place, group: index < 2 ? "a" : "b" })) });
  expect(openMatrix(state)[1].map((effect) => "place" in effect && effect.place)).toEqual([1]);
});

it.each([
  ["j", ["B", 0]],
  ["down", ["B", 0]],
  ["l", ["A", 1]],
  ["right", ["A", 1]],
  ["G", ["D", 0]],
])("%s moves the cursor", (key, expected) => {
  expect(cell(pressed(ready(), key))).toEqual(expected);
});

it("the cursor goes back, and stops at the edges", () => {
  expect(cell(pressed(ready(), "l", "l", "l", "l", "h", "j", "k", "k"))).toEqual(["A", 1]);
});

it("n and N go to rows in which a value differs or is missing", () => {
  const next = pressed(ready(), "n");
  expect(cell(next)).toEqual(["B", 0]);
  expect(cell(pressed(next, "n"))).toEqual(["C", 0]);
  expect(pressed(next, "n", "n")[0].notice?.text).toBe("no more differences");
  expect(cell(pressed(next, "n", "N"))).toEqual(["B", 0]);
});

it("t lists only differing rows, then only missing ones, then all", () => {
  const only = (count: number) => modeOf(pressed(ready(), ...Array(count).fill("t")), "matrix").only;
  expect([1, 2, 3].map(only)).toEqual(["differing", "missing", "all"]);
});

it("/ filters by name with each key, and Esc brings the former filter back, then clears it", () => {
  const typed = pressed(ready(), "/", type("b"));
  expect(cell(typed)[0]).toBe("B");
  expect(modeOf(typed, "matrix").filter).toBe("b");
  const kept = pressed(typed, "enter");
  expect(modeOf(pressed(kept, "/", type("x"), "escape"), "matrix").filter).toBe("b");
  expect(modeOf(pressed(kept, "escape"), "matrix").filter).toBe("");
});

it("Enter on the open place selects the variable there, even if a filter hides it", () => {
  const state = ready({ list: { ...readyState(OWN).list, filter: "a" } });
  const [next, effects] = pressed(state, "j", "enter");
  expect([next.mode.kind, selectedEntry(next)?.variable.name, next.list.filter]).toEqual(["browse", "B", ""]);
  expect(effects.filter(({ type }) => type === "load")).toEqual([]);
});

it("Enter on another place opens it with the cursor on the variable, and frees the data read", () => {
  const [next, effects] = pressed(ready(), "j", "l", "enter");
  expect([next.place, next.mode.kind, next.list.wanted, next.others.size]).toEqual([1, "browse", "B", 0]);
  expect(effects).toMatchObject([{ type: "load", place: 1 }]);
});

it.each(["escape", "q", "m"])("%s closes the matrix, and frees the data read", (key) => {
  const [closed] = pressed(ready(), key);
  expect([closed.mode.kind, closed.others.size]).toEqual(["browse", 0]);
  const late = update(closed, { type: "otherRead", place: 1, entries: TEST, isLocal: true })[0];
  expect(late.others.size).toBe(0);
});

it("closing the matrix stops the reads that are in progress, and says how old the oldest value is while it is open", () => {
  const state = ready();
  const [reading] = pressed(state, "r");
  expect(pressed(reading, "escape")[1]).toContainEqual({ type: "stopReading", places: [1, 2] });
  const [read] = update(reading, { type: "otherRead", place: 1, entries: TEST, asOf: NOW, isLocal: false });
  const later: State = { ...read, now: NOW + 60_000, loaded: { ...read.loaded, asOf: NOW + 60_000 } };
  const header = (shown: State) => headerLine(shown).map(({ text }) => text);
  expect(header(later)).toContain("up to 60 s old");
  expect(header(pressed(later, "escape")[0])).toContain("0 s old");
});

it("y copies the value under the cursor from its place", () => {
  expect(pressed(ready(), "j", "l", "y")[1]).toEqual([{ type: "copy", place: 1, entries: [TEST[1]], format: "value" }]);
  expect(pressed(ready(), "j", "j", "l", "y")[0].notice?.text).toBe("C has no value in shop/test");
});

it("> takes the value under the cursor over to another place, and comes back", () => {
  const picking = pressed(ready(), "j", "l", ">");
  expect(modeOf(picking, "pick")).toMatchObject({ cursor: 0, purpose: { entries: [TEST[1]], from: 1 } });
  const [assigning, effects] = pressed(picking, "enter");
  expect(effects).toMatchObject([{ type: "assign", place: 0, assignments: [{ name: "B", value: "other" }] }]);
  expect(cell(assigning)).toEqual(["B", 1]);
});

it("v decrypts the encrypted values of the row, each with the key of its place", () => {
  const [state, effects] = pressed(ready(), "G", "v");
  expect(effects).toEqual([
    { type: "decrypt", entry: OWN[3], place: 0 },
    { type: "decrypt", entry: TEST[3], place: 1 },
  ]);
  expect(state.revealed?.names).toEqual(new Set(["D"]));
  expect(pressed(ready(), "G", "V")[0].revealed?.names).toBe("all");
});

it("local places are looked at again after each read and each edit, servers only on request", () => {
  const entries = readyState(OWN).loaded.entries;
  const state = ready();
  const loaded = { type: "loaded", generation: state.loaded.generation, entries, asOf: 0, problem: undefined } as const;
  const [, effects] = update(state, { ...loaded, requests: 1, now: state.now });
  expect(effects.filter((effect) => effect.type === "readOther")).toEqual([
    { type: "readOther", place: 1, known: TEST },
  ]);
  expect(pressed(state, "r")[1].flatMap((effect) => (effect.type === "readOther" ? [effect.place] : []))).toEqual([
    1, 2,
  ]);
});

it("data that was read stays after a failure", () => {
  const [again] = pressed(ready(), "r");
  const failure = { code: "unreachable", message: "no answer" };
  const [failed] = update(again, { type: "otherRead", place: 1, failure, isLocal: true });
  expect(failed.others.get(1)).toMatchObject({ entries: TEST, failure, isReading: false });
});

it("the matrix ignores other keys and pastes", () => {
  const start = ready();
  expect(pressed(start, "x", "tab", paste("q"))[0]).toEqual(start);
});

it("e edits the value under the cursor in its place, and comes back", () => {
  const form = pressed(ready(), "j", "l", "e");
  expect(modeOf(form, "form")).toMatchObject({ place: 1, before: { value: "other" } });
  expect(cell(pressed(form, "escape"))).toEqual(["B", 1]);
  const sent = pressed(form, type("!"), "ctrl-s");
  expect(sent[1]).toMatchObject([{ type: "prepare", place: 1, draft: { name: "B", value: "other!" } }]);
  const assigned = { type: "STRING", description: "" } as const;
  const before = { ...assigned, value: "other" };
  const edit = { changes: [{ name: "B", before, after: { ...assigned, value: "other!" } }] };
  const asked = finished(sent[0], { type: "prepared", edit });
  expect(modeOf(asked, "confirm")).toMatchObject({ place: 1, edit });
  const [done, effects] = update(pressed(asked, "enter")[0], { type: "applied" });
  expect(cell(done)).toEqual(["B", 1]);
  expect(effects).toContainEqual({ type: "readOther", place: 1, known: TEST });
});

it("the value of a place that can't be edited has no form", () => {
  expect(pressed(ready(), "l", "l", "e")[0].notice?.text).toBe("shop/production can't be edited here");
});
