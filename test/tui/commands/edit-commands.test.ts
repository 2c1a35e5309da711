import { expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { selectedEntry } from "../../../src/tui/reading/selection.js";
import type { Loaded } from "../../../src/tui/state/loaded.js";
import type { Step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import { ENTRIES, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

function command(key: string) {
  const found = ALL_COMMANDS.find(({ keys }) => keys.includes(key));
  if (!found) throw new Error(`there is no ${key}`);
  return found;
}

const run = (key: string, state: State, argument = ""): Step => command(key).run(state, argument);
const disabledReason = (key: string, state: State) => command(key).disabledReason?.(state);

/** The cursor on the row with this number. */
function at(cursor: number): State {
  return readyState(ENTRIES, { list: { rows: [4, 1, 0], cursor } });
}

function loaded(changes: Partial<Loaded>): State {
  return readyState(ENTRIES, { loaded: changes });
}

it("edit commands know the variable under the cursor", () => {
  expect([0, 1, 2, 3].map((cursor) => selectedEntry(at(cursor)))).toEqual([
    ENTRIES[4],
    ENTRIES[1],
    ENTRIES[0],
    undefined,
  ]);
});

it("e edits the variable under the cursor", () => {
  expect(modeOf(run("e", at(1)), "form")).toMatchObject({ purpose: "edit", name: { text: "PORT" } });
});

it("a adds a variable", () => {
  expect(modeOf(run("a", at(1)), "form")).toMatchObject({ purpose: "add", name: { text: "" } });
});

it("x prepares to delete the variable under the cursor", () => {
  const assignments = [{ name: "PORT", value: undefined }];
  expect(run("x", at(1))[1]).toMatchObject([{ type: "assign", place: 0, purpose: "delete", assignments }]);
});

it("x reports that there is no value to delete", () => {
  expect(run("x", at(0))[0].notice?.text).toBe("UNSET has no value here");
});

it("u asks to undo the newest edit", () => {
  const history = { done: [{ place: 0, purpose: "edit" as const, edit: { changes: [] } }], undone: [] };
  expect(modeOf(run("u", { ...at(0), history }), "confirm").purpose).toBe("undo");
});

it.each(["e", "a", "x"])("%s can't edit the variables of a server", (key) => {
  expect(disabledReason(key, loaded({ isEditable: false }))).toBe("the variables of a server can't be edited here");
});

it.each(["e", "a", "x", "d"])("%s is disabled until all variables are read", (key) => {
  expect(disabledReason(key, loaded({ isComplete: false, isEditable: false, nextAt: undefined }))).toBe(
    "still reading",
  );
  expect(disabledReason(key, loaded({ isComplete: false }))).toBe("the variables can't be read");
  expect(disabledReason(key, at(0))).toBeUndefined();
});

it.each([
  ["u", "nothing to undo"],
  ["U", "nothing to redo"],
])("%s is disabled before the first edit", (key, reason) => {
  expect(disabledReason(key, at(0))).toBe(reason);
});

it.each(["e", "x"])("%s is disabled in an empty list", (key) => {
  expect(disabledReason(key, at(3))).toBe("no variable is selected");
  expect(run(key, at(3))).toEqual([at(3), []]);
});

it("d asks which place to compare with", () => {
  expect(modeOf(run("d", at(0)), "pick").cursor).toBe(1);
});

it(":diff NAME compares with that place", () => {
  expect(modeOf(run("d", at(0), "shop/production"), "diff").place).toBe(2);
});

it.each([
  ["shop/tset", 'there is no other place "shop/tset" (did you mean shop/test?)'],
  ["nowhere", 'there is no other place "nowhere"'],
  ["shop/development", "shop/development is the open place"],
])(":diff can't compare with %s", (name, text) => {
  const [state, effects] = run("d", at(0), name);
  expect([state.mode.kind, state.notice?.text, effects]).toEqual(["browse", text, []]);
});

it(":take-over NAME prepares the edit of that place", () => {
  expect(run(">", at(1), "shop/production")[1]).toMatchObject([{ type: "assign", place: 2, purpose: "take-over" }]);
  expect(disabledReason(">", at(0))).toBe("UNSET has no value here");
});

it("? opens the help, and : the command line", () => {
  expect(modeOf(run("?", at(0)), "help").top).toBe(0);
  expect(modeOf(run(":", at(0)), "command").field.text).toBe("");
});

it("each command has a help text and a unique name", () => {
  expect(new Set(ALL_COMMANDS.map(({ name }) => name)).size).toBe(ALL_COMMANDS.length);
  expect(ALL_COMMANDS.filter(({ help }) => help === "")).toEqual([]);
});
