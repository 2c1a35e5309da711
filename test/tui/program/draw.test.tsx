import chalk, { type ColorSupportLevel } from "chalk";
import { expect, it, onTestFinished } from "vitest";
import { ScreenView } from "../../../src/tui/program/draw.js";
import { panelFrame } from "../../../src/tui/stack/panel.js";
import { line } from "../../../src/tui/text/line.js";
import { createTheme } from "../../../src/tui/text/theme.js";
import { inkScreen } from "../support/tui.js";

function painted(level: ColorSupportLevel, theme: "dark" | "plain"): string {
  const before = chalk.level;
  onTestFinished(() => {
    chalk.level = before;
  });
  chalk.level = level;
  const size = { width: 12, height: 3 };
  const panel = panelFrame({ title: "A", isFocused: false, lines: [line("x", "success")] }, size);
  const picture = { columns: 12, rows: 4, above: [line("above")], body: [[panel]], below: [] };
  return inkScreen(() => 12).draw(<ScreenView picture={picture} theme={createTheme(theme)} />);
}

it("panels have their title in the border, and lines above them", () => {
  expect(painted(0, "plain")).toBe(
    ["above", "╭─ A ──────╮", "│x         │", "╰──────────╯"].join("\n"),
  );
});

it("a line uses the theme's own colors on a terminal with 256", () => {
  expect(painted(3, "dark")).toContain("\x1b[38;2;107;208;134mx");
  expect(painted(2, "dark")).toContain("\x1b[38;5;114mx");
});

it("a line without a color in the theme can still be bold", () => {
  expect(painted(1, "plain")).toContain("\x1b[1mx\x1b[22m");
});
