import { expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { screenContent } from "../../../src/tui/program/screen.js";
import { update } from "../../../src/tui/program/update.js";
import { openDiff } from "../../../src/tui/screens/diff.js";
import { helpKey, openHelp } from "../../../src/tui/screens/help.js";
import { openMatrix } from "../../../src/tui/screens/matrix.js";
import type { Command } from "../../../src/tui/state/command.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import { ENTRIES, paste, press, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

/** Header, footer and border leave 26 lines. */
const START = readyState(ENTRIES, { rows: 30 });
const LINES = 100;

/** Commands with a help of this many lines: a heading and a line for each. */
function commands(lines: number): readonly Command[] {
  const command: Command = {
    name: "quit",
    keys: ["q"],
    label: "quit",
    help: "quit",
    group: "Other",
    run: (state) => step(state),
  };
  return Array.from({ length: lines - 1 }, () => command);
}

function pressed(start: Step, lines: number, ...names: readonly string[]): Step {
  return names.reduce((before, name) => {
    return helpKey(before[0], modeOf(before, "help"), press(name), commands(lines));
  }, start);
}

it.each([
  ["down", 27],
  ["j", 27],
  ["up", 25],
  ["k", 25],
  ["pagedown", 52],
  ["ctrl-f", 52],
  ["pageup", 0],
  ["ctrl-d", 39],
  ["ctrl-u", 13],
  ["home", 0],
  ["end", 74],
  ["G", 74],
])("%s scrolls the help", (key, top) => {
  expect(modeOf(pressed(openHelp(START), LINES, "pagedown", key), "help").top).toBe(top);
});

it("the help scrolls to its last line, and not at all if it fits", () => {
  expect(modeOf(pressed(openHelp(START), LINES, "end", "down", "pagedown"), "help").top).toBe(74);
  expect(modeOf(pressed(openHelp(START), 26, "down", "end"), "help").top).toBe(0);
});

it("the help scrolls from its last line after the screen has grown", () => {
  const [state] = pressed(openHelp(START), LINES, "end");
  expect(modeOf(pressed(step({ ...state, rows: 55 }), LINES, "up"), "help").top).toBe(48);
});

it.each(["escape", "q", "?"])("%s closes the help", (key) => {
  expect(pressed(openHelp(START), LINES, key)).toEqual(step(START));
});

it("the help ignores other keys and pastes", () => {
  const [state] = openHelp(START);
  for (const key of [press("x"), paste("escape")]) {
    expect(helpKey(state, modeOf(state, "help"), key, commands(LINES))).toEqual(step(state));
  }
});

it.each([
  ["a comparison", openDiff(START, 1)[0], "take the value of the left side"],
  ["the matrix", openMatrix(START)[0], "go to the next variable that differs"],
])("? shows the keys of %s and : opens a line, from which Esc goes back to it", (_, state, help) => {
  const pressKey = (from: State, name: string) => update(from, { type: "key", key: press(name) })[0];
  const shown = pressKey(state, "?");
  const { body } = screenContent({ ...shown, columns: 120 }, ALL_COMMANDS);
  expect(JSON.stringify(body[0]?.[0]?.content.lines)).toContain(help);
  expect(pressKey(pressKey(shown, "down"), "escape").mode).toBe(state.mode);
  expect(pressKey(pressKey(state, ":"), "escape").mode).toBe(state.mode);
});
