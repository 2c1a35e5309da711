import { expect, it } from "vitest";
import { helpLines } from "../../../src/tui/screens/help.js";
import { lineWidth } from "../../../src/tui/text/line.js";
import { COMMANDS } from "../support/test-commands.js";

function texts(width: number): string[] {
  return helpLines(COMMANDS, width).map((line) => line.map((span) => span.text).join(""));
}

it("the help shows keys, name and description of each command", () => {
  const lines = texts(76);
  expect(lines[0]).toBe("Find");
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}↓ j +:down +the next line$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}t +:type <type> +shows one type only$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}q Ctrl-C +:quit +leaves$/));
});

it("the help has two columns on a wide screen", () => {
  expect(texts(120).length).toBeLessThan(texts(119).length * 0.75);
  expect(texts(120)[0]).toMatch(/^Find +Edit$/);
});

it.each([56, 76, 116, 196])("the help fits into %d columns", (width) => {
  for (const line of helpLines(COMMANDS, width)) expect(lineWidth(line)).toBeLessThanOrEqual(width);
});
