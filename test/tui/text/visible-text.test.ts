import { expect, it } from "vitest";
import { textWidth, visibleText } from "../../../src/tui/text/graphemes.js";

it.each([
  ["plain", "plain"],
  ["naïve 👋🏽 日本 e\u0301", "naïve 👋🏽 日本 e\u0301"],
  ["a\u001b[2J\tb\r\n", "a\\x1b[2J\\tb\\r\\n"],
  ["\u009b1m", "\\x9b1m"],
  ["abc\u202etxt.exe", "abc\\u{202e}txt.exe"],
  ["\u2066\u200f", "\\u{2066}\\u{200f}"],
  ["zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}"],
  ["\u0301 alone", "\\u{301} alone"],
  ["half \ud800", "half \\u{d800}"],
  ["line\u2028end", "line\\u{2028}end"],
  ["tags \u{e0041}", "tags \\u{e0041}"],
  ["⚠️ 👨‍👩‍👧‍👦", "⚠️ 👨‍👩‍👧‍👦"],
  ["🍏\u200d🍎", "🍏\\u{200d}🍎"],
])("%j is shown as %j", (text, visible) => {
  expect(visibleText(text)).toBe(visible);
});

it.each([
  ["PO\u200bRT", 12],
  ["a\u{e0041}", 10],
  ["\u3164", 8],
  ["\u0301", 7],
  ["\u009b", 4],
  ["⚠️👨‍👩‍👧‍👦1️⃣", 6],
  ["日\u202e本", 12],
])("the visible text of %j has %i columns", (text, width) => {
  expect(textWidth(visibleText(text))).toBe(width);
});

it("each mark and each character without a width becomes visible", () => {
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    if (!/[\p{M}\p{C}\p{DI}]/u.test(character) || /[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue;
    if (textWidth(visibleText(character)) === 0) expect.fail(code.toString(16));
  }
});
