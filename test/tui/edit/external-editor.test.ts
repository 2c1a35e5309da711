import { expect, test } from "vitest";
import { formKey, textEdited, valueEdited } from "../../../src/tui/edit/form.js";
import { textField } from "../../../src/tui/widgets/text-field.js";
import { entry, press, readyState } from "../support/state.js";
import { FORM, modeOf } from "../support/test-modes.js";

const FLAGS = entry("FLAGS", { a: 1 }, "JSON", "Feature flags");

test("a text from the editor is an edit, as if it had been typed into the form", () => {
  const [state, effects] = valueEdited(readyState(), 0, FLAGS, '{"a": 2}');
  expect(modeOf(state, "form").value.text).toBe('{"a": 2}');
  const before = { type: "JSON", description: "Feature flags", value: { a: 1 } };
  const draft = { name: "FLAGS", before, type: "JSON", value: '{"a": 2}', description: "Feature flags" };
  expect(effects).toEqual([{ type: "prepare", place: 0, draft }]);
});

test("an encrypted value that was emptied in the editor becomes empty", () => {
  const [, effects] = valueEdited(readyState(), 0, entry("TOKEN", "envbee:enc:v1:abc"), "");
  expect(effects).toMatchObject([{ type: "prepare", draft: { name: "TOKEN", value: "" } }]);
});

test("Alt-E in the form opens the encrypted value that it keeps", () => {
  const sealed = "envbee:enc:v1:abc";
  const form = {
    ...FORM,
    place: 2,
    before: { ...FLAGS.variable, value: sealed },
    value: textField(""),
    isValueKept: true,
  };
  const [, effects] = formKey({ ...readyState(), mode: form }, form, press("alt-e"));
  expect(effects).toMatchObject([{ type: "editText", place: 2, sealed }]);
});

test("nothing is edited by the same text", () => {
  const [state, effects] = valueEdited(readyState(), 0, FLAGS, undefined);
  expect([state.mode.kind, state.notice?.text, effects]).toEqual([
    "browse",
    expect.stringContaining("FLAGS is unchanged"),
    [],
  ]);
});

test("Alt-E in the form opens its text in the editor, and takes the saved text", () => {
  const form = { ...FORM, value: textField("typed") };
  const state = { ...readyState(), mode: form };
  const effect = { type: "editText", place: 0, text: "typed", name: "DATABASE_URL", isJson: false };
  expect(formKey(state, form, press("alt-e"))).toEqual([state, [effect]]);
  expect(modeOf(textEdited(state, "saved"), "form").value).toEqual(textField("saved"));
  expect(textEdited(state, undefined)).toBe(state);
  expect(textEdited(readyState(), "saved")).toEqual(readyState());
});
