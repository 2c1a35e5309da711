import { PassThrough } from "node:stream";
import type { ColorSupportLevel } from "chalk";
import { expect, onTestFinished, test } from "vitest";
import { runTui } from "../../src/tui/run-tui.js";
import type { TuiTerminal } from "../../src/tui/terminal/terminal.js";
import { localSource } from "./support/source.js";

/** Runs the TUI on a fake terminal, and resolves to its output up to the list. */
async function written(colorLevel: ColorSupportLevel): Promise<string> {
  let text = "";
  const nothing = () => {};
  const keyboard = new PassThrough();
  const terminal: TuiTerminal = {
    input: keyboard as unknown as NodeJS.ReadStream,
    write: (more) => {
      text += more;
    },
    isBusy: () => false,
    onceDrained: nothing,
    size: () => ({ columns: 80, rows: 24 }),
    onResize: nothing,
    onCleared: nothing,
    suspend: async () => {},
    untilStopped: new Promise(() => {}),
  };
  const open = async () => ({
    source: localSource({ PORT: 3000 }),
    editor: undefined,
    decrypt: () => null,
    getCommand: () => "",
  });
  const running = runTui({
    places: [{ name: "test", group: "data.json", kind: "environment", detail: "vars.json", open }],
    place: 0,
    copy: async () => ({ kind: "clipboard" }),
    terminal,
    theme: "dark",
    colorLevel,
    ticks: () => 0,
    onRead: () => {},
  });
  onTestFinished(async () => {
    keyboard.write("q");
    await running;
  });
  await expect.poll(() => text, { timeout: 10_000 }).toContain("PORT");
  return text;
}

test("without colors the TUI uses bold and inverse only", async () => {
  const text = await written(0);
  expect(text).not.toMatch(/\x1b\[[34]8;/);
  expect(text).toContain("\x1b[7m");
  expect(text).toContain("\x1b[1m");
});

test("with colors the TUI uses those of its theme", async () => {
  expect(await written(3)).toContain("\x1b[38;2;108;182;255m");
});
