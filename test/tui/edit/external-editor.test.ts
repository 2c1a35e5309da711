import { expect, test } from "vitest";
import { textEdited, valueEdited } from "../../../src/tui/edit/external-editor.js";
import { formKey } from "../../../src/tui/edit/form.js";
import { textField } from "../../../src/tui/input/text-field.js";
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

test.each([
  ["the same text", 0, undefined],
  ["a text for another place than the open one", 1, "new"],
])("nothing is edited by %s", (_what, place, text) => {
  const [state, effects] = valueEdited(readyState(), place, FLAGS, text);
  expect([state.mode.kind, state.notice?.text, effects]).toEqual([
    "browse",
    expect.stringContaining("FLAGS is unchanged"),
    [],
  ]);
});

test("Alt-E in the form opens its text in the editor, and takes what was saved", () => {
  const form = { ...FORM, value: textField("typed") };
  const state = { ...readyState(), mode: form };
  const file = { name: "DATABASE_URL", isJson: false };
  expect(formKey(state, form, press("alt-e"))).toEqual([state, [{ type: "editText", text: "typed", ...file }]]);
  expect(modeOf(textEdited(state, "saved"), "form").value).toEqual(textField("saved"));
  expect(textEdited(state, undefined)).toBe(state);
  expect(textEdited(readyState(), "saved")).toEqual(readyState());
});
