import stringWidth from "string-width";
import { expect, test } from "vitest";
import { isNarrow, textWidth } from "../../../src/tui/text/graphemes.js";

test("narrow characters are one column wide, alone and in a row", () => {
  const narrow = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    isNarrow,
  );
  expect(narrow.length).toBeGreaterThan(400);
  expect(narrow.filter((character) => stringWidth(character) !== 1)).toEqual([]);
  expect(stringWidth(narrow.join(""))).toBe(narrow.length);
});

test.each([
  ["界", 2],
  ["👩‍👩‍👧", 2],
  ["é", 1],
  ["a界", 3],
])("%s is %i columns wide", (text, width) => {
  expect(textWidth(text)).toBe(width);
});
