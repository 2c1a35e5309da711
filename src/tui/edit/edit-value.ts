import { editKeyName, type Key } from "../input/key.js";
import { editText, insert, moveLines, type TextField, textField } from "../input/text-field.js";
import { startOfLine } from "../input/text-input.js";
import type { Form } from "../state/modes.js";
import { isUnseen } from "./draft.js";

/** Lines of a step with PgUp and PgDn. */
const PAGE = 10;

/** How far a key moves in a text of several lines. */
const LINES: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -PAGE, pagedown: PAGE };

/** The form after a key in the field of its value; undefined if the key edits nothing there. */
export function editValue(form: Form, key: Key): Form | undefined {
  // With Backspace in the empty field, the value stays as it is after all.
  if (form.value.text === "" && editKeyName(key) === "backspace") {
    return { ...form, isValueKept: isUnseen(form.before) };
  }
  const value = editedField(form, key);
  if (value === form.value && key.text === "") return undefined;
  return { ...form, value, isValueKept: form.isValueKept && value.text === form.value.text };
}

/** The same field if the key means nothing in it. */
function editedField({ type, value }: Form, key: Key): TextField {
  const name = editKeyName(key);
  const hasLines = value.text.includes("\n");
  const lines = LINES[name];
  if (lines !== undefined) return hasLines ? moveLines(value, lines) : value;
  if (name === "ctrl-j" || name === "alt-enter" || (name === "enter" && hasLines)) {
    return insert(value, `\n${type === "JSON" ? indentOf(value) : ""}`);
  }
  if (type === "BOOLEAN" && key.text === " ") return textField(value.text === "true" ? "false" : "true");
  return editText(value, key);
}

/** The spaces that the line of the cursor begins with. */
function indentOf({ text, cursor }: TextField): string {
  return /^ */.exec(text.slice(startOfLine(text, cursor), cursor))?.[0] ?? "";
}
