import { expect, it } from "vitest";
import {
  applied,
  confirmDelete,
  confirmEdit,
  confirmKey,
  confirmUndo,
  refused,
  undoable,
} from "../../../src/tui/modes/confirm.js";
import { openForm, prepared } from "../../../src/tui/modes/form.js";
import type { Edit } from "../../../src/tui/state/ports.js";
import { type State, type Step, step } from "../../../src/tui/state/state.js";
import { ENTRIES, entry, paste, press, readyState, SECRET } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

const OLD = { type: "STRING", description: "", value: `old ${SECRET}` } as const;
const NEW = { type: "STRING", description: "", value: `new ${SECRET}` } as const;
const EDIT: Edit = { name: "DATABASE_URL", before: OLD, after: NEW };

const asking = () => confirmEdit(readyState(), "edit", EDIT);
const pressed = (state: State, name: string) => confirmKey(state, modeOf(state, "confirm"), press(name));
const busy = () => pressed(asking(), "y")[0];

/** The state after the edit was confirmed and written. */
function written([state]: Step): State {
  return applied(pressed(state, "y")[0])[0];
}

it.each(["y", "enter"])("%s writes the edit", (key) => {
  const asked = pressed(asking(), key);
  expect(asked[1]).toEqual([{ type: "apply", edit: EDIT }]);
  expect(modeOf(asked, "confirm").isBusy).toBe(true);
});

it.each(["y", "enter", "n", "escape", "v"])("%s is ignored while the edit is being written", (key) => {
  const state = busy();
  expect(pressed(state, key)).toEqual(step(state));
});

it("a refused edit can be confirmed again", () => {
  const state = refused(busy(), { code: "usage", message: "it has been changed in the meantime" });
  const again = pressed(state, "y");
  expect(again[1]).toEqual([{ type: "apply", edit: EDIT }]);
  expect(modeOf(again, "confirm").problem).toBeUndefined();
});

it.each(["n", "escape"])("%s cancels an edit and returns to the list", (key) => {
  expect(pressed(asking(), key)).toEqual(step({ ...readyState(), mode: { kind: "browse" } }));
});

it.each(["n", "escape"])("%s cancels an edit and returns to its form", (key) => {
  const [state] = openForm(readyState(), "edit", ENTRIES[0]);
  expect(pressed(prepared(state, EDIT), key)[0].mode).toEqual(state.mode);
});

it("v reveals and masks the values of an edit", () => {
  const shown = pressed(asking(), "v");
  expect(modeOf(shown, "confirm").isRevealed).toBe(true);
  expect(modeOf(pressed(shown[0], "v"), "confirm").isRevealed).toBe(false);
});

it("a long edit scrolls to its end and back", () => {
  const value = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key_${index}`, index]));
  const edit: Edit = { name: "FLAGS", before: { type: "JSON", description: "", value }, after: undefined };
  const shown = pressed(confirmEdit(readyState(), "delete", edit), "v")[0];
  const topAfter = (...keys: string[]) =>
    modeOf(
      keys.reduce((state, key) => pressed(state, key)[0], shown),
      "confirm",
    ).top;
  expect([topAfter("j"), topAfter("j", "k"), topAfter("G", "g")]).toEqual([1, 0, 0]);
  expect(topAfter("G")).toBeGreaterThan(30);
  expect(topAfter("G", "j", "pagedown")).toBe(topAfter("G"));
});

it("a confirmation ignores other keys and pastes", () => {
  const state = asking();
  const confirmation = modeOf(state, "confirm");
  for (const key of [press("x"), press("tab"), paste("yes"), paste("enter"), paste("y")]) {
    expect(confirmKey(state, confirmation, key)).toEqual(step(state));
  }
});

it("deleting asks first, with the value masked", () => {
  const confirmation = modeOf(confirmDelete(readyState(), entry("PORT", 1, "NUMBER", "Where")), "confirm");
  expect(confirmation).toMatchObject({ purpose: "delete", isRevealed: false, form: undefined });
  expect(confirmation.edit).toEqual({
    name: "PORT",
    before: { type: "NUMBER", description: "Where", value: 1 },
    after: undefined,
  });
});

it("a variable without a value can't be deleted", () => {
  const [state] = confirmDelete(readyState(), entry("UNSET"));
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", "UNSET has no value here"]);
});

it.each([
  ["edit", "changed DATABASE_URL; u undoes it"],
  ["add", "added DATABASE_URL; u undoes it"],
  ["delete", "deleted DATABASE_URL; u undoes it"],
] as const)("a written %s shows a notice, can be undone, and reads the variables again", (purpose, text) => {
  const before = readyState();
  const [state, effects] = applied(pressed(confirmEdit(before, purpose, EDIT), "y")[0]);
  expect(state.mode.kind).toBe("browse");
  expect(state.notice).toMatchObject({ text, tone: "success" });
  expect(state.notice?.until).toBeGreaterThan(state.now);
  expect(undoable(state)).toEqual([EDIT]);
  expect(state.loaded.generation).toBeGreaterThan(before.loaded.generation);
  expect(effects).toMatchObject([{ type: "load", place: 0, generation: state.loaded.generation }]);
});

it("a late answer about a write is dropped", () => {
  for (const state of [readyState(), asking()]) expect(applied(state)).toEqual(step(state));
});

it.each([
  ["an edit", EDIT],
  ["an addition", { name: "NEW", before: undefined, after: NEW }],
  ["a deletion", { name: "GONE", before: OLD, after: undefined }],
] as const)("undo reverses %s", (_, edit) => {
  const asked = confirmUndo(written(step(confirmEdit(readyState(), "edit", edit))));
  expect(modeOf(asked, "confirm")).toMatchObject({ purpose: "undo", isRevealed: false, form: undefined });
  expect(modeOf(asked, "confirm").edit).toEqual({ name: edit.name, before: edit.after, after: edit.before });
});

it("undo reverses all edits, the newest first", () => {
  const other: Edit = { name: "PORT", before: undefined, after: NEW };
  const twice = written(step(confirmEdit(written(step(asking())), "add", other)));
  const once = written(confirmUndo(twice));
  expect([undoable(once), once.notice?.text]).toEqual([[EDIT], "restored PORT"]);
  const none = written(confirmUndo(once));
  expect(undoable(none)).toEqual([]);
  const [state] = confirmUndo(none);
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", "nothing to undo"]);
});

it("an edit can still be undone after its undo was refused or cancelled", () => {
  const [asked] = confirmUndo(written(step(asking())));
  const state = refused(pressed(asked, "y")[0], { code: "usage", message: "it has been changed in the meantime" });
  expect(undoable(pressed(state, "n")[0])).toEqual([EDIT]);
});

it("notices about edits contain no value", () => {
  const once = written(step(asking()));
  for (const { notice } of [once, written(confirmUndo(once))]) expect(JSON.stringify(notice)).not.toContain(SECRET);
});
