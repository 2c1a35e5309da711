import { expect, it } from "vitest";
import { visibleText } from "../../../src/tui/text/visible-text.js";

it.each([
  ["plain", "plain"],
  ["naïve 👋🏽 日本 e\u0301", "naïve 👋🏽 日本 e\u0301"],
  ["a\u001b[2J\tb\r\n", "a\\x1b[2J\\tb\\r\\n"],
  ["\u009b1m", "\\x9b1m"],
  ["abc\u202etxt.exe", "abc\\u202etxt.exe"],
  ["\u2066\u200f", "\\u2066\\u200f"],
  ["zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"],
  ["\u0301 alone", "\\u0301 alone"],
  ["half \ud800", "half \\ud800"],
  ["line\u2028end", "line\\u2028end"],
])("shows %j as %j", (text, visible) => {
  expect(visibleText(text)).toBe(visible);
});
