import chalk from "chalk";
import { expect, it, onTestFinished } from "vitest";
import { line, paintLine } from "../../../src/tui/text/line.js";
import { createTheme } from "../../../src/tui/text/theme.js";

function painted(level: typeof chalk.level, name: "dark" | "plain"): string {
  const before = chalk.level;
  onTestFinished(() => {
    chalk.level = before;
  });
  chalk.level = level;
  return paintLine(line("x", "success"), createTheme(name));
}

it("a line uses the theme's own colors on a terminal with 256", () => {
  expect(painted(3, "dark")).toContain("\x1b[38;2;107;208;134m");
  expect(painted(2, "dark")).toContain("\x1b[38;5;114m");
});

it("a line without a color in the theme can still be bold", () => {
  expect(painted(1, "plain")).toBe("\x1b[1mx\x1b[22m");
});
