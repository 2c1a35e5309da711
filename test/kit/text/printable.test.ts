import { expect, it } from "vitest";
import { escapeCharacter, printable } from "../../../src/kit/text/printable.js";

it.each([
  ["control characters", "a\u001b[2Jb\u0000\u007f\u009b", "a\\x1b[2Jb\\x00\\x7f\\x9b"],
  ["tabs and line breaks", "tab\tnewline\n\r\u2028\u2029", "tab\\tnewline\\n\\r\\u{2028}\\u{2029}"],
  [
    "bidirectional controls",
    "abc\u202etxt.exe\u2066\u200f\u061c",
    "abc\\u{202e}txt.exe\\u{2066}\\u{200f}\\u{61c}",
  ],
  [
    "zero-width characters",
    "PO\u200bRT\ufeff\u2060\u00ad\u034f",
    "PO\\u{200b}RT\\u{feff}\\u{2060}\\xad\\u{34f}",
  ],
  ["blank letters", "\u115f\u3164\uffa0\u17b4", "\\u{115f}\\u{3164}\\u{ffa0}\\u{17b4}"],
  ["tag characters", "hi\u{e0041}\u{e007f}", "hi\\u{e0041}\\u{e007f}"],
  ["variation selectors", "a\ufe0f\u{e0100}", "a\\u{fe0f}\\u{e0100}"],
  ["unpaired surrogates", "half \ud800, \udc00", "half \\u{d800}, \\u{dc00}"],
  ["joiners between letters", "می\u200cخواهم", "می\\u{200c}خواهم"],
])("printable escapes %s", (_what, text, escaped) => {
  expect(printable(text)).toBe(escaped);
});

it.each([
  "plain text with a \\ in it",
  "naïve e\u0301 日本語 हिन्दी עברית",
  "⚠️ 👋🏽 👩🏽‍⚕️ 👨‍👩‍👧‍👦 ❤️‍🔥 1️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
])("printable leaves %j as it is", (text) => {
  expect(printable(text)).toBe(text);
});

it.each([
  ["a joiner between pictographs that are no emoji together", "🍏\u200d🍎", "🍏\\u{200d}🍎"],
  [
    "text in the tags of a flag",
    "🏴\u{e0068}\u{e0069}\u{e007f}",
    "🏴\\u{e0068}\\u{e0069}\\u{e007f}",
  ],
  ["a joiner after an emoji", "⚠️\u200d", "⚠️\\u{200d}"],
])("printable escapes %s", (_what, text, escaped) => {
  expect(printable(text)).toBe(escaped);
});

it("printable escapes every control, bidirectional and invisible character of Unicode", () => {
  const risky = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\p{Bidi_Control}]/u;
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    const expected = risky.test(character) ? escapeCharacter(character) : character;
    if (printable(character) !== expected) expect.fail(code.toString(16));
  }
});
