import { PassThrough } from "node:stream";
import chalk, { type ColorSupportLevel } from "chalk";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { ALL_COMMANDS } from "../../src/tui/commands/all-commands.js";
import { runTui, type TuiOptions } from "../../src/tui/run-tui.js";
import type { TuiTerminal } from "../../src/tui/terminal/frame-stream.js";
import { localSource } from "./support/tui.js";

// The TUI sets the color level for the whole process.
const { level } = chalk;
afterEach(() => {
  chalk.level = level;
});

/**
 * Runs the TUI on a fake terminal. Resolves to its output once it contains `expected`, by default a
 * name in the list.
 */
async function written(
  colorLevel: ColorSupportLevel,
  looks: Partial<Pick<TuiOptions, "theme">> = {},
  answer = "",
  expected = "PORT",
): Promise<string> {
  let text = "";
  const nothing = () => {};
  const keyboard = new PassThrough();
  const terminal: TuiTerminal = {
    input: keyboard as unknown as NodeJS.ReadStream,
    write: (more) => {
      text += more;
      if (more === QUESTION) keyboard.write(answer);
    },
    output: new PassThrough(),
    size: () => ({ columns: 80, rows: 24 }),
    onCleared: nothing,
    suspend: async () => {},
    untilStopped: new Promise(() => {}),
  };
  const open = async () => ({
    source: localSource({ name: "PORT", values: [3000] }),
    editor: undefined,
    decrypt: () => null,
    getCommand: () => "",
    exportFile: async () => undefined,
  });
  const running = runTui({
    places: [
      { name: "test", group: "data.json", kind: "environment", location: "vars.json", open },
    ],
    place: 0,
    copy: async () => ({ kind: "clipboard" }),
    write: async () => ({ text: "" }),
    openInEditor: async (text) => text,
    listFolder: async () => [],
    terminal,
    commands: ALL_COMMANDS,
    preferences: {},
    theme: "dark",
    ...looks,
    colorLevel,
    isAscii: false,
    ticks: () => 0,
  });
  onTestFinished(async () => {
    keyboard.write("q");
    await running;
  });
  await expect.poll(() => text, { timeout: 10_000 }).toContain(expected);
  return text;
}

const QUESTION = "\x1b]11;?\x07";
const LIGHT_ACCENT = "\x1b[38;2;11;87;192m";
const DARK_ACCENT = "\x1b[38;2;108;182;255m";

test("without colors, the TUI uses only bold and inverse", async () => {
  const text = await written(0);
  expect(text).not.toMatch(/\x1b\[[34]8;/);
  expect(text).toContain("\x1b[7m");
  expect(text).toContain("\x1b[1m");
});

test("with colors, the TUI uses those of its theme", async () => {
  expect(await written(3)).toContain(DARK_ACCENT);
});

test("the colors follow the background that the terminal reports, and the reply is not taken as typed", async () => {
  const text = await written(3, { theme: "auto" }, "\x1b]11;rgb:ffff/fff0/ffff\x07", LIGHT_ACCENT);
  expect(text).not.toContain("11;rgb");
});

test("the terminal is not asked for its background if a theme is set or there are no colors", async () => {
  expect(await written(3, {}, "", DARK_ACCENT)).not.toContain(QUESTION);
  expect(await written(0, { theme: "auto" })).not.toContain(QUESTION);
});
