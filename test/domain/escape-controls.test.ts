import { expect, it } from "vitest";
import { escapeControls } from "../../src/domain/escape-controls.js";

it.each([
  ["a\u001b[2Jb", "a\\x1b[2Jb"],
  ["tab\tnewline\n", "tab\\tnewline\\n"],
  ["\u0000\u007f\u009b", "\\x00\\x7f\\x9b"],
  ["naïve 👋", "naïve 👋"],
])("makes the control characters of %j visible", (text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
});
