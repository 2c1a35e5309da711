import { expect, test } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/all-commands.js";
import { withKeymap } from "../../../src/tui/commands/keymap.js";
import type { Place } from "../../../src/tui/state/ports.js";
import { GLOBAL_KEYS } from "../../../src/tui/widgets/key.js";
import { openTui, SHOP, startTui } from "../support/tui.js";

const keymap = (entries: Record<string, string[]>) =>
  withKeymap(ALL_COMMANDS, new Map(Object.entries(entries)));

test("a keymap replaces keys, in the footer and the help too", async () => {
  const tui = await openTui({
    commands: keymap({
      reveal: ["w", "f5"],
      copy: [],
      help: ["f1"],
      quit: ["Q"],
      mark: [],
      redo: ["space"],
    }),
  });
  expect(tui.footer()).toMatch(/ w reveal .* F1 help {2}Q quit$/);
  expect(tui.footer()).not.toContain("copy");
  tui.press("v");
  expect(tui.frame()).not.toContain("values shown");
  tui.press("f5");
  expect(tui.frame()).toContain("values shown");
  tui.press(" ");
  await tui.shows(/nothing to redo/);
  tui.program.resize({ columns: 100, rows: 100 });
  tui.press("f1");
  expect(tui.frame()).toMatch(/ w F5 +reveal /);
  expect(tui.frame()).toMatch(/ Q Ctrl-C +quit /);
});

test("keys can be swapped", () => {
  const commands = keymap({ edit: ["x"], delete: ["e"] });
  const named = (name: string) => commands.find((command) => command.name === name)?.keys;
  expect([named("edit"), named("delete")]).toEqual([["x"], ["e"]]);
});

test.each([
  [{ destroy: ["x"] }, 'keymap: "destroy" is not a command'],
  [{ delte: ["x"] }, 'keymap: "delte" is not a command (did you mean delete?)'],
  [{ constructor: ["x"] }, 'keymap: "constructor" is not a command'],
  [{ edit: ["ctrl-enter"] }, 'keymap.edit: "ctrl-enter" is not a key'],
  [{ edit: ["ctrl-m"] }, 'keymap.edit: "ctrl-m" is not a key'],
  [{ edit: ["ab"] }, 'keymap.edit: "ab" is not a key'],
  [{ edit: [""] }, 'keymap.edit: "" is not a key'],
  [{ edit: ["\u001b"] }, 'keymap.edit: "'],
  [{ edit: ["ctrl-c"] }, "keymap.edit: ctrl-c is fixed"],
  [{ edit: ["x"] }, "keymap.edit: x is also a key of delete;"],
  [{ reveal: ["n"] }, "keymap.reveal: n is also a key of next-difference;"],
  [{ "filter-rows": ["/"] }, "keymap.filter-rows: / is also a key of filter;"],
  [{ edit: ["<"] }, "keymap.edit: < is also a key of copy-from;"],
  [{ edit: ["Z"], add: ["Z"] }, "keymap.edit: Z is also a key of add;"],
  [{ quit: [] }, "keymap.quit: quit needs a key"],
] as [Record<string, string[]>, string][])("the keymap %j is refused", (entries, message) => {
  expect(() => keymap(entries)).toThrow(message);
});

test("no two commands share a key", () => {
  const isFixed = (key: string) => GLOBAL_KEYS.includes(key);
  const own = ALL_COMMANDS.map(({ name, keys }) => [name, keys.filter((key) => !isFixed(key))]);
  expect(() => keymap(Object.fromEntries(own))).not.toThrow();
});

test("hints name the keys of the keymap", async () => {
  const commands = keymap({ refresh: ["f5"], add: ["A"] });
  const empty = await openTui({ commands, data: { ...SHOP, variables: [], values: [] } });
  expect(empty.frame()).toContain("no variables yet; A adds one");
  const open = () => Promise.reject(new Error("unknown"));
  const place: Place = { name: "staging", group: "", kind: "profile", location: "", open };
  await startTui({ places: [place] }, { commands }).shows(/trying again in 1 s; F5 tries now/);
});

test("a notice about an edit names the key of undo, or the command without one", async () => {
  const tui = await openTui({ commands: keymap({ undo: [] }) });
  tui.press("x");
  await tui.shows(/▶ Delete/);
  tui.press("enter");
  await tui.shows(/deleted the value of DATABASE_URL; :undo undoes it/);
});
