import { expect, it } from "vitest";
import { openForm, prepared } from "../../../src/tui/edit/form.js";
import { applied, notApplied } from "../../../src/tui/edit/outcome.js";
import {
  assigned,
  confirmEdit,
  confirmKey,
  confirmRedo,
  confirmUndo,
  deleteValues,
  renewed,
  whyNoUndo,
} from "../../../src/tui/edit/review.js";
import { update } from "../../../src/tui/program/update.js";
import { loaded } from "../../../src/tui/reading/loading.js";
import { selectedEntry } from "../../../src/tui/reading/selection.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import { showCredentials } from "../../../src/tui/view/question.js";
import { ENTRIES, entry, NOW, paste, press, readyState, SECRET, type } from "../support/state.js";
import { CREDENTIALS, editOf, modeOf } from "../support/test-modes.js";

const OLD = { type: "STRING", description: "", value: `old ${SECRET}` } as const;
const NEW = { type: "STRING", description: "", value: `new ${SECRET}` } as const;
const EDIT = editOf("DATABASE_URL", OLD, NEW);
const CHANGED = { code: "changed", message: "DATABASE_URL has been changed by another program" };

const asking = () => confirmEdit(readyState(), "edit", 0, EDIT);
const pressed = (state: State, name: string) => confirmKey(state, modeOf(state, "confirm"), press(name));
const busy = () => pressed(asking(), "enter")[0];

/** The state after the edit was confirmed and written. */
function written([state]: Step): State {
  return applied(pressed(state, "enter")[0])[0];
}

it.each(["ctrl-s", "enter"])("%s writes the edit", (key) => {
  const asked = pressed(asking(), key);
  expect(asked[1]).toEqual([{ type: "apply", place: 0, edit: EDIT }]);
  expect(asked[0].writing).toMatchObject({ purpose: "edit", place: 0, edit: EDIT });
});

it.each(["ctrl-s", "enter", "n", "escape", "v", "tab"])("%s is ignored while the edit is being written", (key) => {
  const state = busy();
  expect(pressed(state, key)).toEqual(step(state));
});

it("a refused edit can be confirmed again", () => {
  const [state] = notApplied(busy(), CHANGED);
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

it("y is no answer to a confirmation, and says so", () => {
  const [state, effects] = pressed(asking(), "y");
  expect([state.mode, effects]).toEqual([asking().mode, []]);
  expect(state.notice?.text).toContain("press Enter on a button");
});

it("Tab and the arrows move between the buttons of a confirmation, and Enter presses the one with the focus", () => {
  for (const key of ["tab", "right", "shift-tab", "left"]) {
    const [state] = pressed(asking(), key);
    expect(modeOf(state, "confirm").button).toBe("back");
    expect(pressed(state, "enter")).toEqual(step(readyState()));
    expect(modeOf(pressed(state, key)[0], "confirm").button).toBe("yes");
  }
});

it.each([
  ["delete", { ...OLD, value: undefined }],
  ["delete", undefined],
  ["edit", NEW],
  ["take-over", NEW],
  ["import", NEW],
  ["undo", NEW],
  ["redo", NEW],
] as const)("the name must be typed before a value of production is lost by %s", (purpose, after) => {
  const asked = confirmEdit(readyState(), purpose, 2, editOf("TOKEN", OLD, after));
  const refusal = pressed(asked, "enter");
  expect([modeOf(refusal, "confirm").problem, refusal[1]]).toEqual(["first type TOKEN", []]);
  const typed = [..."TOKENn"].map(type).reduce((state, key) => {
    return confirmKey(state, modeOf(state, "confirm"), key)[0];
  }, refusal[0]);
  expect(pressed(typed, "ctrl-s")[1]).toEqual([]);
  expect(pressed(pressed(typed, "backspace")[0], "ctrl-s")[1]).toMatchObject([{ type: "apply", place: 2 }]);
  expect(pressed(typed, "escape")[0].mode.kind).toBe("browse");
});

it("the name of the place must be typed before several values of production are deleted or replaced", () => {
  for (const after of [undefined, NEW]) {
    const changes = ["A", "B"].map((name) => ({ name, before: OLD, after }));
    const { problem } = modeOf(pressed(confirmEdit(readyState(), "import", 2, { changes }), "enter"), "confirm");
    expect(problem).toBe("first type shop/production");
    expect(pressed(confirmEdit(readyState(), "import", 1, { changes }), "enter")[1]).toHaveLength(1);
  }
});

it("no name must be typed where production loses no value", () => {
  const none = { ...OLD, value: undefined };
  for (const [before, after] of [
    [undefined, NEW],
    [none, NEW],
    [OLD, { ...OLD, description: "Why" }],
  ] as const) {
    expect(pressed(confirmEdit(readyState(), "edit", 2, editOf("A", before, after)), "enter")[1]).toHaveLength(1);
  }
});

it("an added variable is selected once it has been read", () => {
  const state = written(step(confirmEdit(readyState(), "add", 0, editOf("NEW", undefined, NEW))));
  const entries = [...ENTRIES, entry("NEW", "x")];
  const read = loaded(state, { entries, problem: undefined, requests: 1, asOf: NOW, now: NOW });
  expect(selectedEntry(read)?.variable.name).toBe("NEW");
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
  for (const key of [press("x"), press("q"), paste("yes"), paste("enter"), paste("y")]) {
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
    expect(assigned(state, "delete", 0, EDIT)).toEqual({
      ...state,
      notice: expect.objectContaining({
        text: "the edit was dropped: something else is open",
      }),
    });
});

it("an edit without changes is not asked about", () => {
  expect(assigned(readyState(), "take-over", 1, { changes: [] }).notice?.text).toBe("nothing to change");
});

it.each([
  ["edit", "changed DATABASE_URL; u undoes it"],
  ["add", "added DATABASE_URL; u undoes it"],
  ["delete", "deleted the value of DATABASE_URL; u undoes it"],
] as const)("a written %s shows a notice, can be undone, and reads the variables again", (purpose, text) => {
  const before = readyState();
  const [state, effects] = applied(pressed(confirmEdit(before, purpose, 0, EDIT), "enter")[0]);
  expect(state.mode.kind).toBe("browse");
  expect(state.notice).toMatchObject({ text, tone: "success" });
  expect(state.notice?.until).toBeGreaterThan(state.now);
  expect(state.history).toEqual({ done: [{ place: 0, purpose, edit: EDIT }], undone: [] });
  expect(state.loaded.generation).toBeGreaterThan(before.loaded.generation);
  expect(effects).toMatchObject([{ type: "load", place: 0, generation: state.loaded.generation }]);
});

it.each([
  ["written", applied, "browse"],
  ["refused", (state: State) => notApplied(state, CHANGED), "confirm"],
] as const)("an edit that is %s while something else is open is not forgotten", (_, outcome, back) => {
  const covered = showCredentials(busy(), CREDENTIALS.credentials);
  const [state] = outcome(covered);
  expect(modeOf(state, "credentials").back.kind).toBe(back);
  expect(state.history.done).toHaveLength(back === "browse" ? 1 : 0);
  expect([state.writing, state.notice?.text]).toEqual([undefined, expect.stringContaining("changed")]);
});

it("another refusal does not disturb an edit that is being written", () => {
  const state = busy();
  const [next] = update(state, { type: "refused", failure: { code: "usage", message: "no such file" } });
  expect({ ...next, notice: undefined }).toEqual(state);
  expect(next.notice?.text).toBe("no such file");
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
  expect(modeOf(asked, "confirm")).toMatchObject({
    purpose: "undo",
    of: "edit",
    isRevealed: false,
    back: { kind: "browse" },
  });
  const [change] = edit.changes;
  expect(modeOf(asked, "confirm").edit).toEqual(editOf(change?.name ?? "", change?.after, change?.before));
  const again = confirmRedo(written(asked));
  expect(modeOf(again, "confirm")).toMatchObject({ purpose: "redo", of: "edit", edit });
  expect(written(again).history).toEqual({ done: [{ place: 0, purpose: "edit", edit }], undone: [] });
});

it("undo asks about the changes that the edit would make now", () => {
  const [asked, effects] = confirmUndo(written(step(asking())));
  const { edit } = modeOf(asked, "confirm");
  expect(effects).toEqual([{ type: "renew", place: 0, edit }]);
  const now = editOf("DATABASE_URL", NEW, undefined);
  expect(modeOf(renewed(asked, edit, now), "confirm").edit).toBe(now);
  for (const other of [asking(), pressed(asked, "enter")[0]]) expect(renewed(other, edit, now)).toBe(other);
});

it("undo reverses the edits of all places, the newest first", () => {
  const other = editOf("PORT", undefined, NEW);
  const twice = written(step(confirmEdit(written(step(asking())), "add", 1, other)));
  const asked = confirmUndo(twice);
  expect(pressed(asked[0], "enter")[1]).toMatchObject([{ type: "apply", place: 1 }]);
  const once = written(asked);
  expect([once.history.done.length, once.notice?.text]).toEqual([1, "undid adding PORT to shop/test"]);
  const none = written(confirmUndo(once));
  expect(none.history.done).toEqual([]);
  expect(whyNoUndo(none)).toBe("nothing to undo");
});

it("a new edit leaves nothing to redo", () => {
  const undone = written(confirmUndo(written(step(asking()))));
  expect(undone.history.undone).toHaveLength(1);
  expect(written(step(confirmEdit(undone, "edit", 0, EDIT))).history.undone).toEqual([]);
});

it("an edit can still be undone after its undo was refused or cancelled", () => {
  const [asked] = confirmUndo(written(step(asking())));
  const [state] = notApplied(pressed(asked, "enter")[0], CHANGED);
  expect(pressed(state, "n")[0].history.done).toHaveLength(1);
});

it("an edit that can't be undone is dropped from the history, and earlier ones can be undone", () => {
  const other = editOf("PORT", undefined, NEW);
  const twice = written(step(confirmEdit(written(step(asking())), "add", 1, other)));
  const [state] = notApplied(pressed(confirmUndo(twice)[0], "enter")[0], CHANGED);
  expect(modeOf(state, "confirm").problem).toContain("To undo other edits, drop this one");
  const dropped = pressed(state, "x")[0];
  expect(dropped.mode.kind).toBe("browse");
  expect(dropped.notice?.text).toBe("adding PORT to shop/test was dropped from the history; nothing was changed");
  expect(modeOf(confirmUndo(dropped), "confirm")).toMatchObject({ of: "edit", place: 0 });
  // Only edits that are undone or redone are in the history.
  expect(pressed(asking(), "x")[0]).toEqual(asking());
});

it("an edit that can't be redone is dropped from the history", () => {
  const undone = written(confirmUndo(written(step(asking()))));
  expect(pressed(confirmRedo(undone)[0], "ctrl-x")[0].history).toEqual({ done: [], undone: [] });
});

it("notices about edits contain no value", () => {
  const once = written(step(asking()));
  for (const { notice } of [once, written(confirmUndo(once))]) expect(JSON.stringify(notice)).not.toContain(SECRET);
});
