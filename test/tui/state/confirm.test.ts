import { expect, it } from "vitest";
import type { Edit } from "../../../src/tui/ports.js";
import { applied, askTo, askToDelete, confirmKey } from "../../../src/tui/state/confirm.js";
import { openForm, prepared, refused } from "../../../src/tui/state/form.js";
import type { State } from "../../../src/tui/state/state.js";
import { type Step, step } from "../../../src/tui/state/step.js";
import { askToUndo } from "../../../src/tui/state/undo.js";
import { ENTRIES, entry, paste, press, readyState, SECRET } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

const OLD = { type: "STRING", description: "", value: `old ${SECRET}` } as const;
const NEW = { type: "STRING", description: "", value: `new ${SECRET}` } as const;
const EDIT: Edit = { name: "DATABASE_URL", before: OLD, after: NEW };

const asking = () => askTo(readyState(), "edit", EDIT);
const pressed = (state: State, name: string) => confirmKey(state, modeOf(state, "confirm"), press(name));
const busy = () => pressed(asking(), "y")[0];

/** The state after the edit that is asked about was confirmed and written. */
function written([state]: Step): State {
  return applied(pressed(state, "y")[0])[0];
}

it.each(["y", "enter"])("writes the edit with %s", (key) => {
  const asked = pressed(asking(), key);
  expect(asked[1]).toEqual([{ type: "apply", edit: EDIT }]);
  expect(modeOf(asked, "confirm").isBusy).toBe(true);
});

it.each(["y", "enter", "n", "escape", "v"])("does nothing with %s while it is being written", (key) => {
  const state = busy();
  expect(pressed(state, key)).toEqual(step(state));
});

it("can be confirmed again after it was refused", () => {
  const state = refused(busy(), { code: "usage", message: "it has been changed meanwhile" });
  const again = pressed(state, "y");
  expect(again[1]).toEqual([{ type: "apply", edit: EDIT }]);
  expect(modeOf(again, "confirm").problem).toBeUndefined();
});

it.each(["n", "escape"])("goes back to the list with %s", (key) => {
  expect(pressed(asking(), key)).toEqual(step({ ...readyState(), mode: { kind: "browse" } }));
});

it.each(["n", "escape"])("goes back to the form that it comes from with %s", (key) => {
  const [state] = openForm(readyState(), "edit", ENTRIES[0]);
  expect(pressed(prepared(state, EDIT), key)[0].mode).toEqual(state.mode);
});

it("shows and masks the values with v", () => {
  const shown = pressed(asking(), "v");
  expect(modeOf(shown, "confirm").isRevealed).toBe(true);
  expect(modeOf(pressed(shown[0], "v"), "confirm").isRevealed).toBe(false);
});

it("scrolls a long edit, to its end and back", () => {
  const value = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key_${index}`, index]));
  const edit: Edit = { name: "FLAGS", before: { type: "JSON", description: "", value }, after: undefined };
  const shown = pressed(askTo(readyState(), "delete", edit), "v")[0];
  const topAfter = (...keys: string[]) =>
    modeOf(
      keys.reduce((state, key) => pressed(state, key)[0], shown),
      "confirm",
    ).top;
  expect([topAfter("j"), topAfter("j", "k"), topAfter("G", "g")]).toEqual([1, 0, 0]);
  expect(topAfter("G")).toBeGreaterThan(30);
  expect(topAfter("G", "j", "pagedown")).toBe(topAfter("G"));
});

it("does nothing with any other key, nor with a paste", () => {
  const state = asking();
  const confirmation = modeOf(state, "confirm");
  for (const key of [press("x"), press("tab"), paste("yes"), paste("enter"), paste("y")]) {
    expect(confirmKey(state, confirmation, key)).toEqual(step(state));
  }
});

it("asks before it deletes, with the value masked", () => {
  const confirmation = modeOf(askToDelete(readyState(), entry("PORT", 1, "NUMBER", "Where")), "confirm");
  expect(confirmation).toMatchObject({ purpose: "delete", isRevealed: false, form: undefined });
  expect(confirmation.edit).toEqual({
    name: "PORT",
    before: { type: "NUMBER", description: "Where", value: 1 },
    after: undefined,
  });
});

it("has nothing to delete where there is no value", () => {
  const [state] = askToDelete(readyState(), entry("UNSET"));
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", "UNSET has no value here"]);
});

it.each([
  ["edit", "changed DATABASE_URL; u undoes it"],
  ["add", "added DATABASE_URL; u undoes it"],
  ["delete", "deleted DATABASE_URL; u undoes it"],
] as const)("tells that it has written an %s, keeps it to be undone, and reads again", (purpose, text) => {
  const before = readyState();
  const [state, effects] = applied(pressed(askTo(before, purpose, EDIT), "y")[0]);
  expect(state.mode.kind).toBe("browse");
  expect(state.notice).toMatchObject({ text, tone: "success" });
  expect(state.notice?.until).toBeGreaterThan(state.now);
  expect(state.undo).toEqual([EDIT]);
  expect(state.loaded.generation).toBeGreaterThan(before.loaded.generation);
  expect(effects).toMatchObject([{ type: "load", place: 0, generation: state.loaded.generation }]);
});

it("drops word of a write that nobody waits for", () => {
  for (const state of [readyState(), asking()]) expect(applied(state)).toEqual(step(state));
});

it.each([
  ["an edit", EDIT],
  ["an addition", { name: "NEW", before: undefined, after: NEW }],
  ["a deletion", { name: "GONE", before: OLD, after: undefined }],
] as const)("undoes %s by turning it around", (_, edit) => {
  const asked = askToUndo(written(step(askTo(readyState(), "edit", edit))));
  expect(modeOf(asked, "confirm")).toMatchObject({ purpose: "undo", isRevealed: false, form: undefined });
  expect(modeOf(asked, "confirm").edit).toEqual({ name: edit.name, before: edit.after, after: edit.before });
});

it("undoes one edit after the other, the newest first, until there is none", () => {
  const other: Edit = { name: "PORT", before: undefined, after: NEW };
  const twice = written(step(askTo(written(step(asking())), "add", other)));
  const once = written(askToUndo(twice));
  expect([once.undo, once.notice?.text]).toEqual([[EDIT], "PORT is as it was before"]);
  const none = written(askToUndo(once));
  expect(none.undo).toEqual([]);
  const [state] = askToUndo(none);
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", "nothing to undo"]);
});

it("keeps an edit to be undone whose undoing was refused or given up", () => {
  const [asked] = askToUndo(written(step(asking())));
  const state = refused(pressed(asked, "y")[0], { code: "usage", message: "it has been changed meanwhile" });
  expect(pressed(state, "n")[0].undo).toEqual([EDIT]);
});

it("puts no value into a notice", () => {
  const once = written(step(asking()));
  for (const { notice } of [once, written(askToUndo(once))]) expect(JSON.stringify(notice)).not.toContain(SECRET);
});
