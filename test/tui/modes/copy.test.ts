import { expect, test } from "vitest";
import { EXPORT_FORMATS } from "../../../src/formats/formats.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { copyKey, copyPanel, openCopy } from "../../../src/tui/screens/copy.js";
import { COPY_ITEMS } from "../../../src/tui/state/copy-formats.js";
import type { State } from "../../../src/tui/state/state.js";
import { ENTRIES, press, readyState } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

function run(state: State, name: string, argument: string) {
  return ALL_COMMANDS.find((command) => command.name === name)?.run(state, argument);
}

test("the menu copies the selected variable, or the whole environment, and returns to where it was opened", () => {
  const before = readyState();
  const [opened] = openCopy(before);
  for (const [cursor, { format, isAll }] of COPY_ITEMS.entries()) {
    const mode = { ...modeOf(opened, "copy"), cursor };
    const entries = isAll ? ENTRIES : ENTRIES.slice(0, 1);
    expect(copyKey(opened, mode, press("enter"))).toEqual([before, [{ type: "copy", place: 0, entries, format }]]);
  }
});

test("the menu describes the copied text of each format, for one variable and for several", () => {
  const [opened] = openCopy(readyState());
  const help = (entries: State["loaded"]["entries"]) =>
    copyPanel(opened, { entries, cursor: 0 }, { width: 80, height: 24 }).lines.map((line) => line.at(-2)?.text.trim());
  const [one, two] = [help(ENTRIES.slice(0, 1)), help(ENTRIES.slice(0, 2))];
  expect(one).toContain('an object: {"PORT": …}');
  expect(two).toContain('an object: {"HOST": …, "PORT": …}');
  expect([...one, ...two]).not.toContain("");
});

test("the menu moves, and escape closes it", () => {
  const [opened] = openCopy(readyState());
  const moved = copyKey(opened, modeOf(opened, "copy"), press("G"));
  expect(modeOf(moved, "copy").cursor).toBe(COPY_ITEMS.length - 1);
  expect(copyKey(moved[0], modeOf(moved, "copy"), press("escape"))).toEqual([readyState(), []]);
});

test.each([
  ["copy", "", "value", 1],
  ["copy", "JSON", "json", 1],
  ["copy-all", "", "dotenv", ENTRIES.length],
  ["copy-all", "kubernetes", "kubernetes", ENTRIES.length],
])(":%s %s copies", (name, argument, format, count) => {
  const entries = ENTRIES.slice(0, count);
  expect(run(readyState(), name, argument)?.[1]).toEqual([{ type: "copy", place: 0, entries, format }]);
});

test("an unknown format is refused with those that there are", () => {
  const [{ notice }] = run(readyState(), "copy-all", "yml") ?? [readyState()];
  const text = `there is no format "yml" (did you mean yaml?): use one of ${EXPORT_FORMATS.join(", ")}`;
  expect(notice).toMatchObject({ text, tone: "error" });
});
