import { expect, it, onTestFinished, vi } from "vitest";
import { focusedInput } from "../../../src/tui/widgets/text-field.js";

function shown(text: string, cursor: number, width: number): string {
  const line = focusedInput({ text, cursor }, width);
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

it("a text input segments only the text around the cursor, however long the text is", () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
  onTestFinished(() => segment.mockRestore());
  expect(shown("e\u0301".repeat(1_000_000), 1_000_000, 5)).toBe(
    "e\u0301e\u0301e\u0301e\u0301[e\u0301]",
  );
  const segmented = segment.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  expect(segmented).toBeGreaterThan(0);
  expect(segmented).toBeLessThan(100_000);
});
