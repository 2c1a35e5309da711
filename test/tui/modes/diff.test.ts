import { expect, it } from "vitest";
import { compared, diffKey, notCompared, openDiff } from "../../../src/tui/modes/diff.js";
import type { Key } from "../../../src/tui/state/key.js";
import { type State, type Step, step } from "../../../src/tui/state/state.js";
import { ENTRIES, entry, NOW, paste, press, readyState, SECRET } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

const FAILURE = { code: "unreachable", message: "no answer" };
/** Compared with the open place: DATABASE_URL differs, FLAGS and DEBUG are equal, NEW is added, PORT and TOKEN are missing. */
const OTHERS = [
  entry("DATABASE_URL", `other ${SECRET}`),
  entry("FLAGS", { beta: [1, null] }, "JSON"),
  entry("DEBUG", true, "BOOLEAN"),
  entry("NEW", true, "BOOLEAN"),
  entry("EMPTY"),
];

const ready = (state = readyState()): State => compared(openDiff(state, 1)[0], 1, OTHERS, true);

function pressed(from: State | Step, ...keys: readonly Key[]): Step {
  const start = "mode" in from ? step(from) : from;
  return keys.reduce(([before], key) => diffKey(before, modeOf(before, "diff"), key), start);
}

/** A comparison with a hundred differences, of which 25 are visible. */
function long(): State {
  const entries = Array.from({ length: 100 }, (_, index) => entry(`V${100 + index}`, index, "NUMBER"));
  return compared(openDiff(readyState([], { rows: 30 }), 1)[0], 1, entries, true);
}

it("a comparison reads the other place", () => {
  const opened = openDiff(readyState(), 1);
  expect(opened[1]).toEqual([{ type: "compare", place: 1 }]);
  expect(modeOf(opened, "diff")).toMatchObject({ phase: "loading", place: 1, differences: [], cursor: 0 });
});

it("a comparison lists the differences, without variables that have no value", () => {
  const { phase, differences } = modeOf(ready(), "diff");
  expect(phase).toBe("ready");
  expect(differences.map(({ kind, name }) => [kind, name])).toEqual([
    ["changed", "DATABASE_URL"],
    ["added", "NEW"],
    ["removed", "PORT"],
    ["removed", "TOKEN"],
  ]);
  expect(differences[0]?.before?.value).toBe(SECRET);
  expect(differences[0]?.after?.value).toBe(`other ${SECRET}`);
});

it("encrypted values are compared as they are", () => {
  const [state] = openDiff(readyState(), 1);
  const others = ENTRIES.map((item) => (item.variable.name === "TOKEN" ? entry("TOKEN", "envbee:enc:v1:x") : item));
  expect(modeOf(compared(state, 1, ENTRIES, true), "diff").differences).toEqual([]);
  expect(modeOf(compared(state, 1, others, true), "diff").differences[0]?.after?.value).toBe("envbee:enc:v1:x");
});

it("a comparison says why the other place can't be read", () => {
  const [state] = openDiff(readyState(), 1);
  expect(modeOf(notCompared(state, 1, FAILURE), "diff")).toMatchObject({ phase: "failed", failure: FAILURE });
});

it("a comparison drops answers for another place and late answers", () => {
  for (const state of [openDiff(readyState(), 2)[0], readyState()]) {
    expect(compared(state, 1, OTHERS, true)).toBe(state);
    expect(notCompared(state, 1, FAILURE)).toBe(state);
  }
});

it("r reads the other place again, once", () => {
  const failed = notCompared(openDiff(readyState(), 1)[0], 1, FAILURE);
  const again = pressed(failed, press("r"));
  expect(again[1]).toEqual([{ type: "compare", place: 1 }]);
  expect(modeOf(again, "diff")).toMatchObject({ phase: "loading", failure: undefined });
  expect(pressed(again, press("r"))[1]).toEqual([]);
  expect(modeOf(compared(again[0], 1, OTHERS, true), "diff").phase).toBe("ready");
});

it("a comparison keeps its list and its cursor during another read", () => {
  const again = pressed(long(), press("end"), press("r"));
  expect(modeOf(again, "diff")).toMatchObject({ phase: "loading", cursor: 99 });
  expect(modeOf(again, "diff").differences).toHaveLength(100);
  expect(modeOf(compared(again[0], 1, [entry("A", 1, "NUMBER")], true), "diff")).toMatchObject({ cursor: 0, top: 0 });
});

it.each([
  ["down", 51],
  ["j", 51],
  ["up", 49],
  ["k", 49],
  ["pagedown", 64],
  ["pageup", 36],
  ["ctrl-d", 57],
  ["ctrl-u", 43],
  ["home", 0],
  ["g", 0],
  ["end", 99],
  ["G", 99],
])("%s moves through the differences and keeps the cursor visible", (key, cursor) => {
  const middle = pressed(long(), ...Array(50).fill(press("j")));
  const moved = modeOf(pressed(middle, press(key)), "diff");
  expect(moved.cursor).toBe(cursor);
  expect(moved.top).toBeLessThanOrEqual(cursor);
  expect(moved.top).toBeGreaterThan(cursor - 14);
});

it.each(["escape", "q", "d"])("%s closes a comparison", (key) => {
  expect(pressed(ready(), press(key))).toEqual(step(readyState()));
});

const revealed = ([state]: Step): State["revealed"] => state.revealed;

it("v reveals both values under the cursor for 30 seconds, and masks them again", () => {
  const shown = pressed(ready(), press("j"), press("v"));
  expect(revealed(shown)).toEqual({ names: new Set(["NEW"]), decrypted: new Map(), until: NOW + 30_000 });
  expect(revealed(pressed(shown, press("v")))).toBeUndefined();
});

it("v adds to the revealed values, and keeps decrypted ones", () => {
  const decrypted = new Map([["TOKEN", SECRET]]);
  const state = readyState(ENTRIES, { revealed: { names: new Set(["TOKEN"]), decrypted, until: NOW + 1_000 } });
  const shown = revealed(pressed(ready(state), press("v")));
  expect(shown).toEqual({ names: new Set(["TOKEN", "DATABASE_URL"]), decrypted, until: NOW + 30_000 });
});

it("V reveals all values for a minute, and V or v masks them", () => {
  const shown = pressed(ready(), press("V"));
  expect(revealed(shown)).toEqual({ names: "all", decrypted: new Map(), until: NOW + 60_000 });
  expect(revealed(pressed(shown, press("V")))).toBeUndefined();
  expect(revealed(pressed(shown, press("v")))).toBeUndefined();
});

it("v reveals nothing in an empty comparison", () => {
  expect(revealed(pressed(openDiff(readyState(), 1), press("v")))).toBeUndefined();
});

it("a comparison ignores other keys and pastes", () => {
  const start = ready();
  expect(pressed(start, press("e"), press("tab"), paste("quit"), paste("escape"), paste("q"))).toEqual(step(start));
});
