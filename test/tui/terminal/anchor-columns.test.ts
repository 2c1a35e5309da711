import { expect, it } from "vitest";
import { anchorColumns } from "../../../src/tui/terminal/frame-stream.js";

it.each([
  ["heart", "│\u001b[1m❤️\u001b[22m x│", "│\u001b[1m❤️\u001b[4G\u001b[22m x│"],
  ["family", "a👩‍👩‍👧‍👦b", "a👩‍👩‍👧‍👦\u001b[4Gb"],
  ["flag", "日🇫🇷日", "日🇫🇷\u001b[5G日"],
  ["tone of skin", "👋🏽", "👋🏽\u001b[3G"],
])("the cursor is moved to the column after a %s", (_what, line, expected) => {
  expect(anchorColumns(line)).toBe(expected);
});

it.each(["│ text │", "\u001b[1m日本語 👋\u001b[22m"])(
  "a line whose width all terminals agree on is unchanged: %j",
  (line) => {
    expect(anchorColumns(line)).toBe(line);
  },
);
