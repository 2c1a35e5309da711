import { expect, it } from "vitest";
import { editLine, editText, hasControls, type TextField, textField } from "../../../src/tui/state/text-field.js";
import { paste, press, type } from "../support/state.js";

/** A field as a text with a bar where the cursor is. */
const field = (text: string): TextField => ({ text: text.replace("|", ""), cursor: text.indexOf("|") });
const shown = ({ text, cursor }: TextField) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

it.each([
  ["a|c", "left", "|ac"],
  ["|ac", "left", "|ac"],
  ["a|c", "right", "ac|"],
  ["ac|", "right", "ac|"],
  ["one\ntw|o", "home", "one\n|two"],
  ["one\ntw|o", "ctrl-a", "one\n|two"],
  ["o|ne\ntwo", "end", "one|\ntwo"],
  ["one\nt|wo", "ctrl-e", "one\ntwo|"],
  ["ab|c", "backspace", "a|c"],
  ["|abc", "backspace", "|abc"],
  ["ab|c", "ctrl-h", "a|c"],
  ["a|bc", "delete", "a|c"],
  ["abc|", "delete", "abc|"],
  ["a|bc", "ctrl-d", "a|c"],
  ["one two  |three", "ctrl-w", "one |three"],
  ["one tw|o", "ctrl-w", "one |o"],
  ["one\ntw|o", "ctrl-u", "|o"],
  ["o|ne\ntwo", "ctrl-k", "o|"],
  ["postgres://lo|cal", "ctrl-left", "postgres://|local"],
  ["postgres|://local", "alt-b", "|postgres://local"],
  ["|DB_URL, x", "ctrl-right", "DB_URL|, x"],
  ["DB_URL|, x", "alt-f", "DB_URL, x|"],
])("makes of %o with %s %o", (before, key, after) => {
  expect(shown(editText(field(before), press(key)))).toBe(after);
});

it.each([
  ["a family of one grapheme", "👩‍👩‍👧"],
  ["a flag", "🇦🇹"],
  ["a letter and its accent", "e\u0301"],
])("moves over and deletes %s at once", (_, grapheme) => {
  const end = textField(`a${grapheme}`);
  expect(editText(end, press("left")).cursor).toBe(1);
  expect(editText({ ...end, cursor: 1 }, press("right")).cursor).toBe(end.text.length);
  expect(editText(end, press("backspace"))).toEqual(textField("a"));
  expect(editText({ ...end, cursor: 1 }, press("delete"))).toEqual(textField("a"));
});

it("puts the cursor behind what an insertion has made one grapheme", () => {
  expect(shown(editText(field("|\u0301x"), type("e")))).toBe("e\u0301|x");
});

it("puts typed and pasted text in at the cursor", () => {
  expect(shown(editText(field("a|d"), type("bc")))).toBe("abc|d");
});

it.each(["enter", "delete", "home", "ctrl-u", "up"])("takes a paste that reads %s for text", (text) => {
  expect(shown(editText(field("a|"), paste(text)))).toBe(`a${text}|`);
});

it("keeps line breaks and tabs of a paste, and drops other control characters", () => {
  const pasted = paste("a\r\nb\rc\n\td\x1b[31m\x00\x7f\x9be");
  expect(editText(textField(""), pasted).text).toBe("a\nb\nc\n\td[31me");
  expect(hasControls(pasted)).toBe(true);
  expect(hasControls(type("a\r\nb\tc"))).toBe(false);
  expect(hasControls(press("escape"))).toBe(false);
});

it("makes a space of what breaks a line where there is but one", () => {
  expect(editLine(textField("a"), type("b\r\n\nc\td")).text).toBe("ab c d");
  expect(editLine(textField("ab"), press("backspace")).text).toBe("a");
});

it.each(["f5", "pageup", "enter", "", "alt-x"])("leaves a field as it is with %o", (key) => {
  const before = field("a|b");
  expect(editText(before, press(key))).toBe(before);
});

it("deletes the last word of a long text without counting all its graphemes", () => {
  expect(editText(textField("x".repeat(200_000)), press("ctrl-w")).text).toBe("");
});
