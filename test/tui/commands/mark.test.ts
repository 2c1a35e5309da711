import { expect, it } from "vitest";
import { update } from "../../../src/tui/program/update.js";
import { openPlace } from "../../../src/tui/reading/loading.js";
import { markedCounts, targetEntries } from "../../../src/tui/reading/selection.js";
import type { Effect } from "../../../src/tui/state/effects.js";
import type { State } from "../../../src/tui/state/state.js";
import { entry, finished, press, readyState, type } from "../support/state.js";

const entries = ["A", "B", "C", "D", "E"].map((name) => entry(name, name));

/** The state after keys, and the effects of the last one. A word is typed letter by letter. */
function typed(state: State, ...keys: string[]): [State, readonly Effect[]] {
  const all = keys.flatMap((key) =>
    key === "down" || key === "escape" || key === "enter" ? press(key) : [...key].map(type),
  );
  return all.reduce<[State, readonly Effect[]]>(
    ([before], key) => [...update(before, { type: "key", key })] as [State, readonly Effect[]],
    [state, []],
  );
}

function marked(...keys: string[]): string {
  const [state] = typed(readyState(entries), ...keys);
  return markedCounts(state).marked === 0
    ? ""
    : targetEntries(state)
        .map(({ variable }) => variable.name)
        .join("");
}

it.each([
  // Space marks and moves down; on a marked variable it unmarks.
  [["  "], "AB"],
  [["  ", "kk "], "B"],
  // A range follows the cursor until it is kept.
  [["jR", "jj"], "BCD"],
  [["jR", "jjk"], "BC"],
  [["jRjRj"], "BC"],
  [["jRj j"], "BC"],
  [["jjjRk"], "CD"],
  [[" jRj"], "ACD"],
  // All that are listed, or none.
  [["*"], "ABCDE"],
  [["**"], ""],
  [[" *"], "ABCDE"],
  [[" !"], "BCDE"],
  [["jRj!"], "ADE"],
  // Hidden variables stay marked.
  [[" /C", "enter", " "], "AC"],
  [[" /C", "enter", "*", "escape"], "AC"],
  [[" /C", "enter", "*!"], "A"],
  // A change of the order ends a range.
  [["jRjS"], "BC"],
  // Escape: first the range, then the filter, then the marks.
  [[" Rj", "escape"], "A"],
  [[" /C", "enter", "escape"], "A"],
  [["  ", "escape"], ""],
])("the keys %j mark %o", (keys, names) => {
  expect(marked(...keys)).toBe(names);
});

it("marks that a filter hides are counted", () => {
  const [state] = typed(readyState(entries), "  /C", "enter", " ");
  expect(markedCounts(state)).toEqual({ marked: 3, hidden: 2 });
});

it("marks are gone in another place", () => {
  const [state] = typed(readyState(entries), "*");
  expect(openPlace(state, 1)[0].marks.names.size).toBe(0);
});

it("a variable that is gone is no longer marked", () => {
  const [state] = typed(readyState(entries), "*");
  const message = {
    type: "loaded",
    entries: entries.slice(1),
    asOf: 0,
    problem: undefined,
    requests: 1,
    now: 0,
  } as const;
  expect(markedCounts(update(state, { ...message, generation: 1 })[0])).toEqual({ marked: 4, hidden: 0 });
});

it("x deletes the values of all marked variables in one edit, which ends the marks", () => {
  const [state, effects] = typed(readyState(entries), " j x");
  expect(effects).toMatchObject([{ type: "assign", purpose: "delete", assignments: [{ name: "A" }, { name: "C" }] }]);
  const edit = { changes: ["A", "C"].map((name) => ({ name, before: undefined, after: undefined })) };
  const asked = finished(state, { type: "assigned", place: 0, purpose: "delete", edit });
  const [writing] = typed(asked, "enter");
  expect(markedCounts(writing).marked).toBe(2);
  expect(markedCounts(update(writing, { type: "applied" })[0]).marked).toBe(0);
});

it("marks of other variables stay when one is taken over", () => {
  const [state] = typed(readyState(entries), "  ");
  const edit = { changes: [{ name: "E", before: undefined, after: undefined }] };
  const [writing] = typed(update(state, { type: "assigned", place: 1, purpose: "take-over", edit })[0], "enter");
  expect(markedCounts(update(writing, { type: "applied" })[0]).marked).toBe(2);
});

it("y and > act on all marked variables", () => {
  const names = { entries: [entries[0], entries[1]] };
  expect(typed(readyState(entries), "  y")[1]).toMatchObject([{ type: "copy", ...names }]);
  expect(typed(readyState(entries), "  >")[0].mode).toMatchObject({ kind: "pick", purpose: names });
});

it("in the record a command acts on its variable alone", () => {
  expect(typed(readyState(entries), "  ly")[1]).toMatchObject([{ entries: [entries[2]] }]);
});
