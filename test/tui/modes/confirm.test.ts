import { expect, it } from "vitest";
import {
  applied,
  assigned,
  confirmEdit,
  confirmKey,
  confirmRedo,
  confirmUndo,
  deleteValues,
  refused,
} from "../../../src/tui/modes/confirm.js";
import { openForm, prepared } from "../../../src/tui/modes/form.js";
import { type State, type Step, step } from "../../../src/tui/state/state.js";
import { ENTRIES, entry, paste, press, readyState, SECRET } from "../support/state.js";
import { editOf, modeOf } from "../support/test-modes.js";

const OLD = { type: "STRING", description: "", value: `old ${SECRET}` } as const;
const NEW = { type: "STRING", description: "", value: `new ${SECRET}` } as const;
const EDIT = editOf("DATABASE_URL", OLD, NEW);

const asking = () => confirmEdit(readyState(), "edit", 0, EDIT);
const pressed = (state: State, name: string) => confirmKey(state, modeOf(state, "confirm"), press(name));
const busy = () => pressed(asking(), "enter")[0];

/** The state after the edit was confirmed and written. */
function written([state]: Step): State {
  return applied(pressed(state, "enter")[0])[0];
}

it.each(["y", "enter"])("%s writes the edit", (key) => {
  const asked = pressed(asking(), key);
  expect(asked[1]).toEqual([{ type: "apply", place: 0, edit: EDIT }]);
  expect(modeOf(asked, "confirm").isBusy).toBe(true);
});

it.each(["y", "enter", "n", "escape", "v"])("%s is ignored while the edit is being written", (key) => {
  const state = busy();
  expect(pressed(state, key)).toEqual(step(state));
});

it("a refused edit can be confirmed again", () => {
  const state = refused(busy(), { code: "usage", message: "it has been changed in the meantime" });
  const again = pressed(state, "enter");
  expect(again[1]).toEqual([{ type: "apply", place: 0, edit: EDIT }]);
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
  const edit = editOf("FLAGS", { type: "JSON", description: "", value }, undefined);
  const shown = pressed(confirmEdit(readyState(), "delete", 0, edit), "v")[0];
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
  const [state, effects] = deleteValues(readyState(), [entry("PORT", 1, "NUMBER", "Where"), entry("UNSET")]);
  const assignments = [{ name: "PORT", type: "NUMBER", description: "Where", value: undefined }];
  expect(effects).toEqual([{ type: "assign", place: 0, purpose: "delete", assignments }]);
  const asked = modeOf(assigned(state, "delete", 0, EDIT), "confirm");
  expect(asked).toMatchObject({ purpose: "delete", edit: EDIT, isRevealed: false, back: { kind: "browse" } });
});

it("a variable without a value can't be deleted", () => {
  const [state, effects] = deleteValues(readyState(), [entry("UNSET")]);
  expect([state.notice?.text, effects]).toEqual(["UNSET has no value here", []]);
});

it("an edit that was prepared late replaces no form and no other question", () => {
  for (const state of [asking(), openForm(readyState(), "add")[0]])
    expect(assigned(state, "delete", 0, EDIT)).toBe(state);
});

it("an edit without changes is not asked about", () => {
  expect(assigned(readyState(), "take-over", 1, { changes: [] }).notice?.text).toBe("nothing to change");
});

it.each([
  ["edit", "changed DATABASE_URL; u undoes it"],
  ["add", "added DATABASE_URL; u undoes it"],
  ["delete", "deleted DATABASE_URL; u undoes it"],
] as const)("a written %s shows a notice, can be undone, and reads the variables again", (purpose, text) => {
  const before = readyState();
  const [state, effects] = applied(pressed(confirmEdit(before, purpose, 0, EDIT), "enter")[0]);
  expect(state.mode.kind).toBe("browse");
  expect(state.notice).toMatchObject({ text, tone: "success" });
  expect(state.notice?.until).toBeGreaterThan(state.now);
  expect(state.history).toEqual({ done: [{ place: 0, edit: EDIT }], undone: [] });
  expect(state.loaded.generation).toBeGreaterThan(before.loaded.generation);
  expect(effects).toMatchObject([{ type: "load", place: 0, generation: state.loaded.generation }]);
});

it("a late answer about a write is dropped", () => {
  for (const state of [readyState(), asking()]) expect(applied(state)).toEqual(step(state));
});

it.each([
  ["an edit", EDIT],
  ["an addition", editOf("NEW", undefined, NEW)],
  ["a deletion", editOf("GONE", OLD, undefined)],
])("undo reverses %s, and redo makes it again", (_, edit) => {
  const asked = confirmUndo(written(step(confirmEdit(readyState(), "edit", 0, edit))));
  expect(modeOf(asked, "confirm")).toMatchObject({ purpose: "undo", isRevealed: false, back: { kind: "browse" } });
  const [change] = edit.changes;
  expect(modeOf(asked, "confirm").edit).toEqual(editOf(change?.name ?? "", change?.after, change?.before));
  const again = confirmRedo(written(asked));
  expect(modeOf(again, "confirm")).toMatchObject({ purpose: "redo", edit });
  expect(written(again).history).toEqual({ done: [{ place: 0, edit }], undone: [] });
});

it("undo reverses the edits of all places, the newest first", () => {
  const other = editOf("PORT", undefined, NEW);
  const twice = written(step(confirmEdit(written(step(asking())), "add", 1, other)));
  const asked = confirmUndo(twice);
  expect(pressed(asked[0], "enter")[1]).toMatchObject([{ type: "apply", place: 1 }]);
  const once = written(asked);
  expect([once.history.done.length, once.notice?.text]).toEqual([1, "restored PORT"]);
  const none = written(confirmUndo(once));
  expect(none.history.done).toEqual([]);
  const [state] = confirmUndo(none);
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", "nothing to undo"]);
});

it("a new edit leaves nothing to redo", () => {
  const undone = written(confirmUndo(written(step(asking()))));
  expect(undone.history.undone).toHaveLength(1);
  expect(written(step(confirmEdit(undone, "edit", 0, EDIT))).history.undone).toEqual([]);
});

it("an edit can still be undone after its undo was refused or cancelled", () => {
  const [asked] = confirmUndo(written(step(asking())));
  const state = refused(pressed(asked, "enter")[0], { code: "usage", message: "it has been changed in the meantime" });
  expect(pressed(state, "n")[0].history.done).toHaveLength(1);
});

it("notices about edits contain no value", () => {
  const once = written(step(asking()));
  for (const { notice } of [once, written(confirmUndo(once))]) expect(JSON.stringify(notice)).not.toContain(SECRET);
});
