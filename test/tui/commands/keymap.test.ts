import { expect, test } from "vitest";
import { withKeymap } from "../../../src/tui/commands/keymap.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { pressed } from "../../../src/tui/program/program.js";
import { footerLines } from "../../../src/tui/program/screen.js";
import { helpLines } from "../../../src/tui/screens/help.js";
import { keysByName } from "../../../src/tui/state/command.js";
import { withReading } from "../../../src/tui/state/reading.js";
import type { State } from "../../../src/tui/state/state.js";
import { emptyListLines } from "../../../src/tui/view/status-lines.js";
import { GLOBAL_KEYS } from "../../../src/tui/widgets/key.js";
import { press, readyState, type } from "../support/state.js";
import { openTui } from "../support/tui.js";

const keymap = (entries: Record<string, string[]>) => withKeymap(ALL_COMMANDS, new Map(Object.entries(entries)));

test("a keymap replaces keys, in the footer and the help too", () => {
  const commands = keymap({ reveal: ["w", "f5"], copy: [], help: ["f1"], quit: ["Q"] });
  const revealed = pressed(readyState(), press("f5"), commands)[0].revealed;
  expect(revealed?.names).toContain("DATABASE_URL");
  expect(pressed(readyState(), type("v"), commands)[0].revealed).toBeUndefined();
  const footer = footerLines({ ...readyState(), columns: 200 }, commands)
    .flat()
    .map(({ text }) => text)
    .join("");
  expect(footer).toMatch(/ w reveal .* F1 help {2}Q quit $/);
  expect(footer).not.toContain("copy");
  const help = helpLines(commands, 100).map((line) => line.map(({ text }) => text).join(""));
  expect(help).toContainEqual(expect.stringMatching(/^ {2}w F5 +:reveal /));
  expect(help).toContainEqual(expect.stringMatching(/^ {2}Q Ctrl-C +:quit /));
});

test("keys can be swapped, and Space is a key", () => {
  const commands = keymap({ edit: ["x"], delete: ["e"], redo: ["space"], mark: [] });
  const named = (name: string) => commands.find((command) => command.name === name)?.keys;
  expect([named("edit"), named("delete"), named("redo")]).toEqual([["x"], ["e"], ["space"]]);
});

test.each([
  [{ destroy: ["x"] }, 'keymap: "destroy" is not a command'],
  [{ delte: ["x"] }, 'keymap: "delte" is not a command (did you mean delete?)'],
  [{ constructor: ["x"] }, 'keymap: "constructor" is not a command'],
  [{ edit: ["ctrl-enter"] }, 'keymap.edit: "ctrl-enter" is not a key'],
  [{ edit: ["ctrl-m"] }, "keymap.edit: ctrl-m arrives as enter: name that key"],
  [{ edit: ["ctrl-j"] }, "keymap.edit: ctrl-j arrives as enter: name that key"],
  [{ edit: ["ab"] }, 'keymap.edit: "ab" is not a key'],
  [{ edit: [""] }, 'keymap.edit: "" is not a key'],
  [{ edit: ["\u001b"] }, 'keymap.edit: "'],
  [{ edit: ["ctrl-c"] }, "keymap.edit: ctrl-c always has the same meaning"],
  [{ edit: ["x"] }, "keymap.edit: x is a key of delete too"],
  [{ edit: ["Z"], add: ["Z"] }, "keymap.edit: Z is a key of add too"],
  [{ quit: [] }, "keymap.quit: quit needs a key"],
] as [Record<string, string[]>, string][])("the keymap %j is refused", (entries, message) => {
  expect(() => keymap(entries)).toThrow(message);
});

test("the commands have no two with one key", () => {
  const isFixed = (key: string) => GLOBAL_KEYS.includes(key);
  const own = ALL_COMMANDS.map(({ name, keys }) => [name, keys.filter((key) => !isFixed(key))]);
  expect(() => keymap(Object.fromEntries(own))).not.toThrow();
});

test("hints and notices name the keys of the keymap, and commands without one by their names", () => {
  const keys = keysByName(keymap({ refresh: ["f5"], add: ["A"], undo: [] }));
  const empty = readyState([], { preferences: { keys } });
  const failure = { code: "network", message: "connection refused" };
  const failed = withReading(empty, 0, { isComplete: false, isReading: true, failure, nextAt: undefined });
  const text = (state: State) => emptyListLines(state, 80).map((line) => line.map((span) => span.text).join(""));
  expect(text(empty)).toEqual(["no variables yet; A adds one"]);
  expect(text(failed)).toContain("trying again; F5 tries now");
});

test("a notice about an edit names the key of undo, or the command without one", async () => {
  const tui = await openTui({ commands: keymap({ undo: [] }) });
  tui.press("x");
  await tui.shows(/▶ Delete/);
  tui.press("enter");
  await tui.shows(/deleted the value of DATABASE_URL; :undo undoes it/);
});
