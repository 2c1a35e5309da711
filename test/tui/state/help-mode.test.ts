import { expect, it } from "vitest";
import { helpKey, openHelp } from "../../../src/tui/state/help-mode.js";
import { type Step, step } from "../../../src/tui/state/step.js";
import { ENTRIES, paste, press, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

/** Header, footer and border leave 26 lines. */
const START = readyState(ENTRIES, { rows: 30 });
const LINES = 100;

function pressed(start: Step, lines: number, ...names: readonly string[]): Step {
  return names.reduce((before, name) => helpKey(before[0], modeOf(before, "help"), press(name), lines), start);
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
])("scrolls with %s", (key, top) => {
  expect(modeOf(pressed(openHelp(START), LINES, "pagedown", key), "help").top).toBe(top);
});

it("scrolls no further than the last line, and not at all where all is seen", () => {
  expect(modeOf(pressed(openHelp(START), LINES, "end", "down", "pagedown"), "help").top).toBe(74);
  expect(modeOf(pressed(openHelp(START), 26, "down", "end"), "help").top).toBe(0);
});

it("scrolls on from the last line that there is when the screen has become higher", () => {
  const [state] = pressed(openHelp(START), LINES, "end");
  expect(modeOf(pressed(step({ ...state, rows: 55 }), LINES, "up"), "help").top).toBe(48);
});

it.each(["escape", "q", "?"])("closes with %s", (key) => {
  expect(pressed(openHelp(START), LINES, key)).toEqual(step(START));
});

it("does nothing with other keys, nor with a paste", () => {
  const [state] = openHelp(START);
  const help = modeOf(state, "help");
  for (const key of [press("x"), paste("escape")]) expect(helpKey(state, help, key, LINES)).toEqual(step(state));
});
