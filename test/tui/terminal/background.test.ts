import { expect, test } from "vitest";
import { shadeOf } from "../../../src/tui/text/theme.js";

test.each([
  ["black", "11;rgb:00/00/0", "dark"],
  ["white", "11;rgb:ffff/fff/f", "light"],
  ["Solarized's dark blue", "11;rgb:0000/2b2b/3636", "dark"],
  ["Solarized's beige", "11;rgb:fdfd/f6f6/e3e3", "light"],
  ["pure blue", "11;rgb:0000/0000/ffff", "dark"],
  ["pure green", "11;rgb:0000/ffff/0000", "light"],
  ["another answer", "11;red", undefined],
  ["too many digits", "11;rgb:fffff/0/0", undefined],
  ["another question's answer", "10;rgb:0/0/0", undefined],
])("%s, %s, is %s", (_name, answer, shade) => {
  expect(shadeOf(answer)).toBe(shade);
});
