import { expect, it } from "vitest";
import { graphemes } from "../../../src/tui/text/graphemes.js";

it.each([
  ["a👨‍👩‍👧‍👦b", 2_000],
  ["e\u0301🇩🇪", 1_000],
])("a long text of %j is split into its graphemes", (unit, count) => {
  const found = Array.from(graphemes(unit.repeat(count)));
  const parts = Array.from(new Intl.Segmenter().segment(unit), ({ segment }) => segment);
  expect(found.map(({ text }) => text)).toEqual(Array.from({ length: count }, () => parts).flat());
  expect(
    found.reduce((end, { text, index }) => (index === end ? end + text.length : Number.NaN), 0),
  ).toBe(unit.length * count);
});

it("an endless grapheme is split", () => {
  const text = `a${"\u0301".repeat(2_500)}b`;
  expect(Array.from(graphemes(text), (grapheme) => grapheme.text).join("")).toBe(text);
});
