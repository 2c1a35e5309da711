import { expect, it } from "vitest";
import { compared, diffKey, notCompared, openDiff } from "../../../src/tui/state/diff.js";
import type { Key } from "../../../src/tui/state/message.js";
import { REVEAL_ALL_MS, REVEAL_MS } from "../../../src/tui/state/reveal.js";
import type { State } from "../../../src/tui/state/state.js";
import { type Step, step } from "../../../src/tui/state/step.js";
import { ENTRIES, entry, NOW, paste, press, readyState, SECRET } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

const FAILURE = { code: "unreachable", message: "no answer" };
/** Beside the open place: DATABASE_URL is another, FLAGS and DEBUG the same, NEW added; PORT and TOKEN are not there. */
const OTHERS = [
  entry("DATABASE_URL", `other ${SECRET}`),
  entry("FLAGS", { beta: [1, null] }, "JSON"),
  entry("DEBUG", true, "BOOLEAN"),
  entry("NEW", true, "BOOLEAN"),
  entry("EMPTY"),
];

const ready = (state = readyState()): State => compared(openDiff(state, 1)[0], 1, OTHERS);

function pressed(from: State | Step, ...keys: readonly Key[]): Step {
  const start = "mode" in from ? step(from) : from;
  return keys.reduce(([before], key) => diffKey(before, modeOf(before, "diff"), key), start);
}

/** A comparison with a hundred differences, of which 25 are seen. */
function long(): State {
  const entries = Array.from({ length: 100 }, (_, index) => entry(`V${100 + index}`, index, "NUMBER"));
  return compared(openDiff(readyState([], { rows: 30 }), 1)[0], 1, entries);
}

it("reads the place that it compares with", () => {
  const opened = openDiff(readyState(), 1);
  expect(opened[1]).toEqual([{ type: "compare", place: 1 }]);
  expect(modeOf(opened, "diff")).toMatchObject({ phase: "loading", place: 1, differences: [], cursor: 0 });
});

it("tells what differs from the open place to the other, leaving out what has no value", () => {
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

it("compares what is encrypted as it is", () => {
  const [state] = openDiff(readyState(), 1);
  const others = ENTRIES.map((item) => (item.variable.name === "TOKEN" ? entry("TOKEN", "envbee:enc:v1:x") : item));
  expect(modeOf(compared(state, 1, ENTRIES), "diff").differences).toEqual([]);
  expect(modeOf(compared(state, 1, others), "diff").differences[0]?.after?.value).toBe("envbee:enc:v1:x");
});

it("tells why the other place could not be read", () => {
  const [state] = openDiff(readyState(), 1);
  expect(modeOf(notCompared(state, 1, FAILURE), "diff")).toMatchObject({ phase: "failed", failure: FAILURE });
});

it("drops answers for another place, and those that come when it is closed", () => {
  for (const state of [openDiff(readyState(), 2)[0], readyState()]) {
    expect(compared(state, 1, OTHERS)).toBe(state);
    expect(notCompared(state, 1, FAILURE)).toBe(state);
  }
});

it("reads again with r, and once only", () => {
  const failed = notCompared(openDiff(readyState(), 1)[0], 1, FAILURE);
  const again = pressed(failed, press("r"));
  expect(again[1]).toEqual([{ type: "compare", place: 1 }]);
  expect(modeOf(again, "diff")).toMatchObject({ phase: "loading", failure: undefined });
  expect(pressed(again, press("r"))[1]).toEqual([]);
  expect(modeOf(compared(again[0], 1, OTHERS), "diff").phase).toBe("ready");
});

it("keeps what it shows while it reads again, and a cursor that there is", () => {
  const again = pressed(long(), press("end"), press("r"));
  expect(modeOf(again, "diff")).toMatchObject({ phase: "loading", cursor: 99 });
  expect(modeOf(again, "diff").differences).toHaveLength(100);
  expect(modeOf(compared(again[0], 1, [entry("A", 1, "NUMBER")]), "diff")).toMatchObject({ cursor: 0, top: 0 });
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
])("moves with %s and keeps the cursor in view", (key, cursor) => {
  const middle = pressed(long(), ...Array(50).fill(press("j")));
  const moved = modeOf(pressed(middle, press(key)), "diff");
  expect(moved.cursor).toBe(cursor);
  expect(moved.top).toBeLessThanOrEqual(cursor);
  expect(moved.top).toBeGreaterThan(cursor - 14);
});

it.each(["escape", "q", "d"])("goes back with %s", (key) => {
  expect(pressed(ready(), press(key))).toEqual(step(readyState()));
});

const revealed = ([state]: Step): State["revealed"] => state.revealed;

it("shows the values of the name under the cursor for a while with v, and masks them again", () => {
  const shown = pressed(ready(), press("j"), press("v"));
  expect(revealed(shown)).toEqual({ names: new Set(["NEW"]), decrypted: new Map(), until: NOW + REVEAL_MS });
  expect(revealed(pressed(shown, press("v")))).toBeUndefined();
});

it("adds to what is shown, and forgets nothing that was decrypted", () => {
  const decrypted = new Map([["TOKEN", SECRET]]);
  const state = readyState(ENTRIES, { revealed: { names: new Set(["TOKEN"]), decrypted, until: NOW + 1_000 } });
  const shown = revealed(pressed(ready(state), press("v")));
  expect(shown).toEqual({ names: new Set(["TOKEN", "DATABASE_URL"]), decrypted, until: NOW + REVEAL_MS });
});

it("shows all values for a while with V, and masks them with V or v", () => {
  const shown = pressed(ready(), press("V"));
  expect(revealed(shown)).toEqual({ names: "all", decrypted: new Map(), until: NOW + REVEAL_ALL_MS });
  expect(revealed(pressed(shown, press("V")))).toBeUndefined();
  expect(revealed(pressed(shown, press("v")))).toBeUndefined();
});

it("shows nothing with v where nothing differs", () => {
  expect(revealed(pressed(openDiff(readyState(), 1), press("v")))).toBeUndefined();
});

it("does nothing with other keys, nor with a paste", () => {
  const start = ready();
  expect(pressed(start, press("e"), press("tab"), paste("quit"), paste("escape"), paste("q"))).toEqual(step(start));
});
