import { expect, it } from "vitest";
import { textInput } from "../../../src/tui/text/text-input.js";

function shown(text: string, cursor: number, width: number): string {
  const line = textInput({ text, cursor }, width);
  return line.map((span) => (span.isInverse ? `[${span.text}]` : span.text)).join("");
}

it.each([
  ["", 0, "[ ]    "],
  ["abc", 3, "abc[ ] "],
  ["abc", 1, "a[b]c  "],
  ["abcdefgh", 8, "efgh[ ]"],
  ["abcdefgh", 5, "bcde[f]"],
  ["abcdefgh", 0, "[a]bcde"],
  ["a\nb", 1, "a[↵]b  "],
  ["日本語", 3, "本語[ ]"],
  ["日本語", 0, "[日]本 "],
  ["a👋🏽", 1, "a[👋🏽]  "],
])("shows %j with the cursor at %d", (text, cursor, expected) => {
  expect(shown(text, cursor, 5)).toBe(expected);
});

it("looks only at what is around the cursor", () => {
  const start = performance.now();
  expect(shown("日".repeat(1_000_000), 500_000, 5)).toBe("日[日] ");
  expect(performance.now() - start).toBeLessThan(1_000);
});
