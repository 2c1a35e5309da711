import { expect, it } from "vitest";
import { cutLine, fitLine, fitText, wrapLine, wrapWords } from "../../../src/tui/text/line.js";

it.each([
  ["abc", 5, "abc  "],
  ["abcde", 5, "abcde"],
  ["abcdef", 5, "abcd…"],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日… "],
  ["abcd👨‍👩‍👧‍👦", 5, "abcd…"],
  ["abcde\u0301f", 6, "abcde\u0301f"],
  ["abcdee\u0301", 5, "abcd…"],
  ["a", 0, ""],
])("%j fits into %d columns as %j", (text, width, fitted) => {
  expect(fitText(text, width)).toBe(fitted);
});

it("a line is cut in the span that is too wide, and keeps its styles", () => {
  const line = [{ text: "ab", role: "accent" }, { text: "日本" }, { text: "cd" }] as const;
  expect(cutLine(line, 8)).toBe(line);
  expect(cutLine(line, 5)).toEqual([{ text: "ab", role: "accent" }, { text: "日…" }]);
  expect(cutLine(line, 6)).toEqual([{ text: "ab", role: "accent" }, { text: "日… " }]);
  expect(fitLine(line, 10)).toEqual([...line, { text: "  " }]);
});

it.each([
  ["one two three", 7, ["one two", "three"]],
  ["unbreakable", 5, ["unbre", "akabl", "e"]],
  ["a unbreakable b", 5, ["a", "unbre", "akabl", "e b"]],
  ["日本語 日本", 5, ["日本", "語", "日本"]],
  ["", 5, [""]],
])("the words of %j wrap at %d columns", (text, width, lines) => {
  expect(wrapWords(text, width)).toEqual(lines);
});

it("a wrapped line keeps all characters and styles", () => {
  const line = [{ text: "abc", role: "json" }, { text: "日本語" }, { text: "def" }] as const;
  expect(wrapLine(line, 4)).toEqual([
    [{ text: "abc", role: "json" }],
    [{ text: "日本" }],
    [{ text: "語" }, { text: "de" }],
    [{ text: "f" }],
  ]);
  expect(wrapLine([], 4)).toEqual([[]]);
});
