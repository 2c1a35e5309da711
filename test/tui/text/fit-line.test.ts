import { expect, it } from "vitest";
import { cellText } from "../../../src/tui/text/cell-text.js";
import { cutLine, fitLine, fitText } from "../../../src/tui/text/fit-line.js";

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
])("fits %j into %d columns as %j", (text, width, fitted) => {
  expect(fitText(text, width)).toBe(fitted);
});

it("cuts a line at the span that is too much, and keeps the looks of the others", () => {
  const line = [{ text: "ab", role: "accent" }, { text: "日本" }, { text: "cd" }] as const;
  expect(cutLine(line, 8)).toBe(line);
  expect(cutLine(line, 5)).toEqual([{ text: "ab", role: "accent" }, { text: "日…" }]);
  expect(cutLine(line, 6)).toEqual([{ text: "ab", role: "accent" }, { text: "日… " }]);
  expect(fitLine(line, 10)).toEqual([...line, { text: "  " }]);
});

it("does not look at the end of a value of a megabyte", () => {
  const text = `${"日".repeat(1_000_000)}\u001b`;
  const start = performance.now();
  for (let count = 0; count < 100; count++) expect(cellText(text, 7)).toBe("日日日…");
  expect(performance.now() - start).toBeLessThan(2_000);
});
