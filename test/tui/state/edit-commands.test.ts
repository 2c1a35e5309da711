import { expect, it } from "vitest";
import { EDIT_COMMANDS } from "../../../src/tui/state/edit-commands.js";
import { selectedEntry } from "../../../src/tui/state/selected-entry.js";
import type { Loaded, State } from "../../../src/tui/state/state.js";
import type { Step } from "../../../src/tui/state/step.js";
import { ENTRIES, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

function command(key: string) {
  const found = EDIT_COMMANDS.find(({ keys }) => keys.includes(key));
  if (!found) throw new Error(`there is no ${key}`);
  return found;
}

const run = (key: string, state: State, argument = ""): Step => command(key).run(state, argument);
const whyNot = (key: string, state: State) => command(key).whyNot?.(state);

/** The cursor on the row with this number. */
function at(cursor: number): State {
  return readyState(ENTRIES, { list: { rows: [4, 1, 0], cursor } });
}

function loaded(changes: Partial<Loaded>): State {
  return readyState(ENTRIES, { loaded: changes });
}

it("knows the variable under the cursor", () => {
  expect([0, 1, 2, 3].map((cursor) => selectedEntry(at(cursor)))).toEqual([
    ENTRIES[4],
    ENTRIES[1],
    ENTRIES[0],
    undefined,
  ]);
});

it("edits the variable under the cursor with e", () => {
  expect(modeOf(run("e", at(1)), "form")).toMatchObject({ purpose: "edit", name: { text: "PORT" } });
});

it("adds a variable with a", () => {
  expect(modeOf(run("a", at(1)), "form")).toMatchObject({ purpose: "add", name: { text: "" } });
});

it("asks to delete the variable under the cursor with x", () => {
  expect(modeOf(run("x", at(1)), "confirm")).toMatchObject({ purpose: "delete", edit: { name: "PORT" } });
});

it("tells with x that there is no value to delete", () => {
  expect(run("x", at(0))[0].notice?.text).toBe("UNSET has no value here");
});

it("asks to undo the newest edit with u", () => {
  const edit = { name: "PORT", before: undefined, after: { type: "NUMBER", description: "", value: 1 } } as const;
  expect(modeOf(run("u", { ...at(0), undo: [edit] }), "confirm").purpose).toBe("undo");
});

it.each(["e", "a", "x", "u"])("can't change a server's variables with %s", (key) => {
  expect(whyNot(key, loaded({ isEditable: false }))).toBe("a server's variables can't be changed from here");
});

it.each(["e", "a", "x", "u", "d"])("waits with %s until all is read", (key) => {
  expect(whyNot(key, loaded({ isComplete: false, isEditable: false, phase: "loading" }))).toBe("still reading");
  expect(whyNot(key, loaded({ isComplete: false, phase: "failed" }))).toBe("the variables could not be read");
  const edit = { name: "PORT", before: undefined, after: undefined };
  expect(whyNot(key, { ...at(0), undo: [edit] })).toBeUndefined();
});

it("has nothing to undo before something was changed", () => {
  expect(whyNot("u", at(0))).toBe("nothing to undo");
});

it.each(["e", "x"])("has nothing to do with %s in an empty list", (key) => {
  expect(whyNot(key, at(3))).toBe("no variable is selected");
  expect(run(key, at(3))).toEqual([at(3), []]);
});

it("asks with d what to compare with", () => {
  expect(modeOf(run("d", at(0)), "pick").cursor).toBe(1);
});

it("compares with what is named", () => {
  expect(modeOf(run("d", at(0), "shop/production"), "diff").place).toBe(2);
});

it.each([
  ["shop/tset", 'there is no "shop/tset" to compare with (did you mean shop/test?)'],
  ["nowhere", 'there is no "nowhere" to compare with'],
  ["shop/development", "shop/development is the open one"],
])("can't compare with %s", (name, text) => {
  const [state, effects] = run("d", at(0), name);
  expect([state.mode.kind, state.notice?.text, effects]).toEqual(["browse", text, []]);
});

it("opens the help with ? and the command line with :", () => {
  expect(modeOf(run("?", at(0)), "help").top).toBe(0);
  expect(modeOf(run(":", at(0)), "command").field.text).toBe("");
});

it("tells of each command, by a name of its own", () => {
  expect(EDIT_COMMANDS.map(({ name }) => name)).toEqual(["edit", "add", "delete", "undo", "diff", "help", "command"]);
  expect(EDIT_COMMANDS.filter(({ help }) => help === "")).toEqual([]);
});
