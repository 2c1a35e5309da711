import { expect, it } from "vitest";
import {
  applyKey,
  applyKeyToLine,
  hasControls,
  moveLines,
  type TextField,
  textField,
} from "../../../src/tui/widgets/text-field.js";

const press = (name: string) => ({ name, text: "" });
const type = (text: string) => ({ name: text, text });
const paste = (text: string) => ({ name: "paste", text });

/** A field as text with a bar at the cursor. */
const field = (text: string): TextField => ({
  text: text.replace("|", ""),
  cursor: text.indexOf("|"),
});
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
  ["one\ntw|o", "ctrl-u", "one\n|o"],
  ["one\n|two", "ctrl-u", "one|two"],
  ["o|ne\ntwo", "ctrl-k", "o|\ntwo"],
  ["one|\ntwo", "ctrl-k", "one|two"],
  ["one\ntw|o", "ctrl-home", "|one\ntwo"],
  ["o|ne\ntwo", "ctrl-end", "one\ntwo|"],
  ["postgres://lo|cal", "ctrl-left", "postgres://|local"],
  ["postgres|://local", "alt-b", "|postgres://local"],
  ["|DB_URL, x", "ctrl-right", "DB_URL|, x"],
  ["DB_URL|, x", "alt-f", "DB_URL, x|"],
])("the field %o after %s is %o", (before, key, after) => {
  expect(shown(applyKey(field(before), press(key)))).toBe(after);
});

it.each([
  ["one\ntw|o", -1, "on|e\ntwo"],
  ["o|ne\ntwo", -1, "o|ne\ntwo"],
  ["o|ne\ntwo", 1, "one\nt|wo"],
  ["one\ntw|o", 1, "one\ntw|o"],
  ["on|e\n\nthree", 2, "one\n\nth|ree"],
  ["one\n\nthr|ee", -9, "one|\n\nthree"],
  ["abc|d\ne👋🏽", 1, "abcd\ne👋🏽|"],
])("the field %o after a move by %d lines is %o", (before, by, after) => {
  expect(shown(moveLines(field(before), by))).toBe(after);
});

it("moving up and down returns to the column after a shorter line, unless the cursor was moved in between", () => {
  const short = moveLines(field("on|e\n\nthree"), 1);
  expect([shown(short), shown(moveLines(short, 1))]).toEqual(["one\n|\nthree", "one\n\nth|ree"]);
  expect(shown(moveLines(applyKey(short, press("home")), 1))).toBe("one\n\n|three");
});

it.each([
  ["a family of one grapheme", "👩‍👩‍👧"],
  ["a flag", "🇦🇹"],
  ["a letter and its accent", "e\u0301"],
])("the cursor treats %s as one character", (_, grapheme) => {
  const end = textField(`a${grapheme}`);
  expect(applyKey(end, press("left")).cursor).toBe(1);
  expect(applyKey({ ...end, cursor: 1 }, press("right")).cursor).toBe(end.text.length);
  expect(applyKey(end, press("backspace"))).toEqual(textField("a"));
  expect(applyKey({ ...end, cursor: 1 }, press("delete"))).toEqual(textField("a"));
});

it("the cursor moves to the end of a grapheme that an insertion joined", () => {
  expect(shown(applyKey(field("|\u0301x"), type("e")))).toBe("e\u0301|x");
});

it("typed and pasted text is inserted at the cursor", () => {
  expect(shown(applyKey(field("a|d"), type("bc")))).toBe("abc|d");
});

it.each(["enter", "delete", "home", "ctrl-u", "up"])("a pasted %s is text in a field", (text) => {
  expect(shown(applyKey(field("a|"), paste(text)))).toBe(`a${text}|`);
});

it("a paste keeps line breaks and tabs, and drops other control characters", () => {
  const pasted = paste("a\r\nb\rc\n\td\x1b[31m\x00\x7f\x9be");
  expect(applyKey(textField(""), pasted).text).toBe("a\nb\nc\n\td[31me");
  expect(hasControls(pasted)).toBe(true);
  expect(hasControls(type("a\r\nb\tc"))).toBe(false);
  expect(hasControls(press("escape"))).toBe(false);
});

it("a field of one line turns line breaks into spaces", () => {
  expect(applyKeyToLine(textField("a"), type("b\r\n\nc\td")).text).toBe("ab c d");
  expect(applyKeyToLine(textField("ab"), press("backspace")).text).toBe("a");
});

it.each(["f5", "pageup", "enter", "", "alt-x"])("%o leaves a field unchanged", (key) => {
  const before = field("a|b");
  expect(applyKey(before, press(key))).toBe(before);
});

it("the last word of a long text is deleted quickly", () => {
  expect(applyKey(textField("x".repeat(200_000)), press("ctrl-w")).text).toBe("");
});
