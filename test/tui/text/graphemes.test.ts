import { expect, it } from "vitest";
import { graphemes } from "../../../src/tui/text/graphemes.js";

it.each([
  ["a👨‍👩‍👧‍👦b", 2_000],
  ["e\u0301🇩🇪", 1_000],
])("finds each grapheme of a long text of %j, and where it starts", (unit, count) => {
  const found = Array.from(graphemes(unit.repeat(count)));
  const parts = Array.from(new Intl.Segmenter().segment(unit), ({ segment }) => segment);
  expect(found.map(({ text }) => text)).toEqual(Array.from({ length: count }, () => parts).flat());
  expect(found.reduce((end, { text, index }) => (index === end ? end + text.length : Number.NaN), 0)).toBe(
    unit.length * count,
  );
});

it("comes to an end of a grapheme that does not", () => {
  const text = `a${"\u0301".repeat(2_500)}b`;
  expect(Array.from(graphemes(text), (grapheme) => grapheme.text).join("")).toBe(text);
});
