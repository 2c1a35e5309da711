import { expect, it } from "vitest";
import { wrapLine, wrapWords } from "../../../src/tui/text/wrap-line.js";

it.each([
  ["one two three", 7, ["one two", "three"]],
  ["unbreakable", 5, ["unbre", "akabl", "e"]],
  ["a unbreakable b", 5, ["a", "unbre", "akabl", "e b"]],
  ["日本語 日本", 5, ["日本", "語", "日本"]],
  ["", 5, [""]],
])("wraps the words of %j in %d columns", (text, width, lines) => {
  expect(wrapWords(text, width)).toEqual(lines);
});

it("breaks a line where it is full, without losing a character or a look", () => {
  const line = [{ text: "abc", role: "json" }, { text: "日本語" }, { text: "def" }] as const;
  expect(wrapLine(line, 4)).toEqual([
    [{ text: "abc", role: "json" }],
    [{ text: "日本" }],
    [{ text: "語" }, { text: "de" }],
    [{ text: "f" }],
  ]);
  expect(wrapLine([], 4)).toEqual([[]]);
});
