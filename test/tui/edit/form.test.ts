import { expect, it } from "vitest";
import { formKey, notPrepared, openForm, prepared, quit } from "../../../src/tui/edit/form.js";
import { notApplied } from "../../../src/tui/edit/outcome.js";
import { confirmKey } from "../../../src/tui/edit/review.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import type { Form } from "../../../src/tui/state/modes.js";
import type { Assigned } from "../../../src/tui/state/ports.js";
import type { State } from "../../../src/tui/state/state.js";
import { askKey } from "../../../src/tui/view/question.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { ENTRIES, entry, paste, press, readyState, SECRET, type } from "../support/state.js";
import { editOf, modeOf } from "../support/test-modes.js";

const [DATABASE_URL, PORT, FLAGS, TOKEN, UNSET] = ENTRIES;
const FAILURE = { code: "usage", message: "PORT has been changed in the meantime" };

function after(opened: Step, ...keys: readonly Key[]): Step {
  return keys.reduce((before, key) => formKey(before[0], modeOf(before, "form"), key), opened);
}

/** The question before something is lost, after these keys. */
function answered(asked: Step, ...keys: readonly Key[]): Step {
  return keys.reduce((before, key) => askKey(before[0], modeOf(before, "ask"), key), asked);
}

const adding = (state: State = readyState()) => openForm(state, "add");
const editing = (entry = DATABASE_URL, state: State = readyState()) => openForm(state, "edit", entry);
const draftOf = ([, [effect]]: Step) => (effect?.type === "prepare" ? effect.draft : undefined);
const valueIn = (from: State | Step) => modeOf(from, "form").value;

function filled(): Step {
  return after(adding(), type("NEW"), press("tab"), press("tab"), type(SECRET), press("tab"), type("Why"));
}

it("the form for a new variable is empty and starts at the name", () => {
  const form = modeOf(adding(), "form");
  expect([form.field, form.name.text, form.type, form.value.text, form.before]).toEqual([
    "name",
    "",
    "STRING",
    "",
    undefined,
  ]);
});

it("the form for an existing variable starts at its value", () => {
  const form = modeOf(editing(), "form");
  expect([form.field, form.name.text, form.value.text, form.description.text]).toEqual([
    "value",
    "DATABASE_URL",
    SECRET,
    "Primary database",
  ]);
  expect(form.before).toEqual({ type: "STRING", description: "Primary database", value: SECRET });
});

it("the form shows JSON with an indent, from its first line on", () => {
  expect(valueIn(editing(FLAGS))).toEqual({ text: '{\n  "beta": [\n    1,\n    null\n  ]\n}', cursor: 0 });
});

it("a new line of JSON is indented like the one above it", () => {
  const json = after(editing(FLAGS), press("down"), press("end"), press("enter"), type("2,"));
  expect(valueIn(json).text).toMatch(/\[\n {2}2,\n {4}1,/);
});

it("the form has an empty value for a missing or an encrypted one", () => {
  const [unset, token] = [modeOf(editing(UNSET), "form"), modeOf(editing(TOKEN), "form")];
  expect([unset.value.text, unset.before?.value, unset.type]).toEqual(["", undefined, "BOOLEAN"]);
  expect([token.value.text, token.before?.value]).toEqual(["", "envbee:enc:v1:abc"]);
});

it.each([
  ["tab", ["type", "value", "description", "name"]],
  ["down", ["type", "value", "description", "name"]],
  ["shift-tab", ["description", "value", "type", "name"]],
  ["up", ["description", "value", "type", "name"]],
])("%s goes through the fields of a form", (key, fields) => {
  const seen = fields.map((_, index) => modeOf(after(adding(), ...Array(index + 1).fill(press(key))), "form").field);
  expect(seen).toEqual(fields);
});

it("the form skips the name of an existing variable", () => {
  const fields = [1, 2, 3].map((times) => modeOf(after(editing(), ...Array(times).fill(press("tab"))), "form").field);
  expect(fields).toEqual(["description", "type", "value"]);
});

it.each([
  [press("right"), ["NUMBER", "BOOLEAN", "JSON", "STRING"]],
  [type(" "), ["NUMBER", "BOOLEAN", "JSON", "STRING"]],
  [press("left"), ["JSON", "BOOLEAN", "NUMBER", "STRING"]],
])("%o changes the type in a form", (key, types) => {
  const start = after(adding(), press("tab"));
  const seen = types.map((_, index) => modeOf(after(start, ...Array(index + 1).fill(key)), "form").type);
  expect(seen).toEqual(types);
});

it("the type in a form accepts no text", () => {
  const start = after(adding(), press("tab"));
  expect(after(start, type("left"), press("backspace"))[0]).toBe(start[0]);
});

it.each(["ctrl-j", "alt-enter"])("%s inserts a newline in the value of a form only", (key) => {
  expect(modeOf(after(editing(), press(key), type("x")), "form").value.text).toBe(`${SECRET}\nx`);
  expect(modeOf(after(adding(), type("A"), press(key)), "form").name.text).toBe("A");
  expect(modeOf(after(editing(), type(key)), "form").value.text).toBe(`${SECRET}${key}`);
});

it("the arrows and Enter stay in a value of several lines, and Tab leaves it", () => {
  const lines = after(editing(), press("ctrl-u"), paste("one\ntwo\nthree"));
  expect(valueIn(after(lines, press("up"), type("x"))).text).toBe("one\ntwox\nthree");
  expect(valueIn(after(lines, press("up"), press("up"), press("up"), type("x"))).text).toBe("onex\ntwo\nthree");
  expect(valueIn(after(lines, press("pageup"), press("down"), press("enter"))).text).toBe("one\ntwo\n\nthree");
  expect(modeOf(after(lines, press("down")), "form").field).toBe("value");
  expect(modeOf(after(lines, press("tab")), "form").field).toBe("description");
});

it.each(["escape", "enter", "ctrl-s", "tab"])("a pasted %s is text in a form", (text) => {
  expect(modeOf(after(editing(), paste(text)), "form").value.text).toBe(`${SECRET}${text}`);
});

it("Space toggles a BOOLEAN in a form", () => {
  const once = after(editing(UNSET), type(" "));
  expect(modeOf(once, "form").value.text).toBe("true");
  expect(modeOf(after(once, type(" ")), "form").value.text).toBe("false");
});

it("Enter goes to the next field of a form, and submits it on the last", () => {
  const next = after(adding(), type("NEW"), press("enter"));
  expect([modeOf(next, "form").field, next[1]]).toEqual(["type", []]);
  expect(draftOf(after(filled(), press("enter")))).toEqual({
    name: "NEW",
    before: undefined,
    type: "STRING",
    value: SECRET,
    description: "Why",
  });
});

it("Ctrl-S submits a form from any field", () => {
  expect(draftOf(after(editing(PORT), press("ctrl-u"), type("1"), press("ctrl-s")))).toEqual({
    name: "PORT",
    before: { type: "NUMBER", description: "", value: 3000 },
    type: "NUMBER",
    value: "1",
    description: "",
  });
});

it("a form trims a pasted name", () => {
  expect(draftOf(after(adding(), type("NEW\n"), press("ctrl-s")))?.name).toBe("NEW");
});

it.each([
  ["a new one without a name", adding(), "name", "enter a name"],
  ["a name that is there", after(adding(), type("PORT")), "name", "PORT already exists: edit it instead"],
  ["a name without a value here", after(adding(), type("UNSET")), "name", "UNSET already exists: edit it instead"],
])("the form refuses %s", (_, start, field, problem) => {
  const submitted = after(start, press("tab"), press("ctrl-s"));
  expect(submitted[1]).toEqual([]);
  expect(modeOf(submitted, "form")).toMatchObject({ field, problem });
});

it("typing clears the problem of a form", () => {
  expect(modeOf(after(adding(), press("ctrl-s"), type("A")), "form").problem).toBeUndefined();
});

it("the form reports control characters that were left out of a paste", () => {
  const { value, problem } = modeOf(after(editing(), type("\x1b[0m")), "form");
  expect([value.text, problem]).toEqual([`${SECRET}[0m`, "control characters in the pasted text were left out"]);
});

it.each([
  ["that is none", entry("NONE")],
  ["that is encrypted", TOKEN],
])("the form keeps a value %s until another is typed", (_, variable) => {
  const kept = (...keys: Key[]) => draftOf(after(editing(variable), ...keys, press("ctrl-s")))?.value;
  expect(kept(press("tab"), type("Why"))).toBeUndefined();
  const emptied = [type("x"), press("backspace")];
  expect(kept(...emptied)).toBe("");
  expect(kept(...emptied, press("backspace"))).toBeUndefined();
});

it("only a STRING can be empty in a form", () => {
  expect(draftOf(after(editing(UNSET), type("x"), press("ctrl-u"), press("ctrl-s")))?.value).toBeUndefined();
});

it("Escape closes a form, and asks first if something was typed", () => {
  const edited = after(editing(), type("x"));
  const asked = after(edited, press("escape"));
  expect(modeOf(asked, "ask")).toMatchObject({ text: "Drop your changes?", button: "back" });
  for (const key of ["enter", "escape"]) expect(answered(asked, press(key))[0].mode).toEqual(edited[0].mode);
  for (const key of [type("y"), paste("enter"), press("ctrl-s")]) expect(answered(asked, key)[0]).toBe(asked[0]);
  for (const keys of [["tab", "enter"], ["ctrl-x"]]) {
    expect(answered(asked, ...keys.map(press))[0].mode).toEqual({ kind: "browse" });
  }
  for (const opened of [adding(), editing(), editing(TOKEN), editing(UNSET)]) {
    const [state] = after(opened, press("tab"), press("escape"));
    expect([state.mode.kind, state.notice]).toEqual(["browse", undefined]);
  }
});

it("Ctrl-C asks before it drops typed text, and quits when it is pressed again", () => {
  const typed = after(editing(), type("x"))[0];
  const asked = quit(typed);
  expect([modeOf(asked, "ask").text, asked[1]]).toEqual(["Quit, and lose your changes? Ctrl-C again quits.", []]);
  expect(quit(asked[0])[1]).toEqual([{ type: "quit" }]);
  expect(answered(asked, press("tab"), press("enter"))[1]).toEqual([{ type: "quit" }]);
  expect(answered(asked, press("escape"))[0].mode).toEqual(typed.mode);
  const confirming = prepared(filled()[0], EDIT);
  expect(modeOf(quit(confirming), "ask").back).toEqual(confirming.mode);
  const leaving = formKey(typed, modeOf(typed, "form"), press("escape"))[0];
  expect(modeOf(quit(leaving), "ask").effect).toEqual({ type: "quit" });
  for (const state of [readyState(), editing()[0]]) expect(quit(state)[1]).toEqual([{ type: "quit" }]);
});

const AFTER = { type: "STRING", description: "Why", value: SECRET } as const;
const EDIT = editOf("NEW", undefined, AFTER);

it("the edit of a form is shown with its values for confirmation", () => {
  const [state] = after(filled(), press("ctrl-s"));
  const confirmation = modeOf(prepared(state, EDIT), "confirm");
  expect(confirmation).toMatchObject({ purpose: "add", edit: EDIT, isRevealed: true });
  expect(confirmation.back).toEqual(state.mode);
});

it("a form without changes needs no confirmation", () => {
  const same: Assigned = { type: "JSON", description: "", value: { beta: [1, null] } };
  const state = prepared(editing(FLAGS)[0], editOf("FLAGS", same, structuredClone(same)));
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", "nothing to change"]);
});

it("the edit of a closed form is dropped", () => {
  for (const state of [readyState(), editing(PORT)[0], prepared(filled()[0], EDIT)]) {
    expect(prepared(state, EDIT)).toBe(state);
  }
});

const NOW_PORT: Assigned = { type: "NUMBER", description: "", value: 4000 };

it("a value that another program has changed is compared with the typed one, and replaced only on purpose", () => {
  const [state] = after(editing(PORT), type("1"));
  const asked = prepared(state, editOf("PORT", NOW_PORT, { ...NOW_PORT, value: 30001 }));
  expect(modeOf(asked, "confirm")).toMatchObject({ isChangedMeanwhile: true, button: "back" });
  expect(modeOf(confirmKey(asked, modeOf(asked, "confirm"), press("enter")), "form").value.text).toBe("30001");
  const [again, effects] = confirmKey(asked, modeOf(asked, "confirm"), press("ctrl-s"));
  expect([modeOf(again, "confirm").problem, effects]).toEqual([expect.stringContaining("Ctrl-S doesn't save"), []]);
});

it("an edit of a form that was refused for a change by another program is prepared again", () => {
  const [state] = after(editing(PORT), type("1"));
  const edit = editOf("PORT", { ...NOW_PORT, value: 3000 }, { ...NOW_PORT, value: 30001 });
  const asked = prepared(state, edit);
  const [busy] = confirmKey(asked, modeOf(asked, "confirm"), press("ctrl-s"));
  const again = notApplied(busy, { code: "changed", message: "" });
  expect([modeOf(again, "form").value.text, draftOf(again)?.value]).toEqual(["30001", "30001"]);
});

it("a refused edit is explained in the form and in the confirmation", () => {
  expect(modeOf(step(notPrepared(filled()[0], "NEW", FAILURE)), "form").problem).toBe(FAILURE.message);
  const state = prepared(filled()[0], EDIT);
  const busy = { ...state, writing: modeOf(state, "confirm") };
  const [refused] = notApplied(busy, FAILURE);
  expect([modeOf(refused, "confirm").problem, refused.writing]).toEqual([FAILURE.message, undefined]);
});

it("a late refusal does not disturb a question", () => {
  const waiting = prepared(filled()[0], EDIT);
  expect(notApplied(waiting, FAILURE)).toEqual([waiting, []]);
  for (const state of [waiting, readyState()]) {
    const { mode, notice } = notPrepared(state, "NEW", FAILURE);
    expect([mode, notice]).toMatchObject([state.mode, { text: FAILURE.message, tone: "error" }]);
  }
});

it("the messages of a form contain no value", () => {
  const forms: Form[] = [
    modeOf(after(filled(), press("ctrl-s")), "form"),
    modeOf(after(editing(TOKEN), press("ctrl-s")), "form"),
  ];
  for (const { problem } of forms) expect(problem ?? "").not.toContain(SECRET);
  expect(modeOf(after(filled(), press("escape")), "ask").text).not.toContain(SECRET);
});
