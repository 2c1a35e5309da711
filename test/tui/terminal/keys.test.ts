import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Rgb } from "../../../src/tui/terminal/background.js";
import { listenToInput } from "../../../src/tui/terminal/input.js";
import type { Key, Mouse } from "../../../src/tui/widgets/key.js";

/** The input reported for the chunks of a terminal, up to the key with this name. */
async function inputOf(chunks: readonly string[], last: string): Promise<(Key | Mouse | Rgb)[]> {
  const keyboard = new PassThrough();
  const input: (Key | Mouse | Rgb)[] = [];
  const done = new Promise<void>((resolve) => {
    const stop = listenToInput(keyboard, {
      onKey: (key) => {
        input.push(key);
        if (key.name !== last) return;
        stop();
        resolve();
      },
      onMouse: (mouse) => void input.push(mouse),
      onBackground: (color) => void input.push(color),
    });
  });
  for (const chunk of chunks) keyboard.write(chunk);
  await done;
  return input;
}

const keysOf = (bytes: string, last: string) => inputOf([bytes], last);

test.each([
  ["a", "a", "a"],
  ["G", "G", "G"],
  ["/", "/", "/"],
  [" ", " ", " "],
  ["é", "é", "é"],
  ["界", "界", "界"],
  ["\r", "enter", ""],
  ["\n", "ctrl-j", ""],
  ["\t", "tab", ""],
  ["\x1b[Z", "shift-tab", ""],
  ["\x7f", "backspace", ""],
  ["\x1b[3~", "delete", ""],
  ["\x1b[A", "up", ""],
  ["\x1bOB", "down", ""],
  ["\x1b[5~", "pageup", ""],
  ["\x1b[H", "home", ""],
  ["\x1b[4~", "end", ""],
  ["\x03", "ctrl-c", ""],
  ["\x15", "ctrl-u", ""],
  ["\x1b[1;5D", "ctrl-left", ""],
  ["\x1bb", "alt-b", ""],
  ["\x1b\r", "alt-enter", ""],
  ["\x1b", "escape", ""],
])("the input %j is the key %s", async (bytes, name, text) => {
  expect(await keysOf(bytes, name)).toEqual([{ name, text }]);
});

test("keys that arrive together are separate keys", async () => {
  const keys = await keysOf("/ab\r\x1b[Bq", "q");
  expect(keys.map((key) => "name" in key && key.name)).toEqual(["/", "a", "b", "enter", "down", "q"]);
});

test("a paste is one key with newlines", async () => {
  const keys = await keysOf("\x1b[200~one\r\ntwo\tx\r\x1b[201~q", "q");
  expect(keys).toEqual([
    { name: "paste", text: "one\ntwo\tx\n" },
    { name: "q", text: "q" },
  ]);
});

const Q = { name: "q", text: "q" };
const PRESS = { action: "press", column: 9, row: 4 };

/** A text as one chunk, and split at each place in two. */
function splits(text: string): string[][] {
  return Array.from(text, (_, index) => [text.slice(0, index), text.slice(index)]);
}

test.each([
  ["a press", "\x1b[<0;10;5M", PRESS],
  ["the wheel up", "\x1b[<64;10;5M", { ...PRESS, action: "wheel-up" }],
  ["the wheel down", "\x1b[<65;10;5M", { ...PRESS, action: "wheel-down" }],
  ["a light background", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", [1, 1, 1]],
  ["a dark background", "\x1b]11;rgb:00/00/0\x07", [0, 0, 0]],
])("%s is reported, also in two chunks, and types nothing", async (_what, sequence, expected) => {
  for (const chunks of splits(sequence)) expect(await inputOf([...chunks, "q"], "q")).toEqual([expected, Q]);
});

test.each([
  ["a release", "\x1b[<0;10;5m"],
  ["another button", "\x1b[<2;10;5M"],
  ["a motion", "\x1b[<32;10;5M"],
  ["a position of 0", "\x1b[<0;0;5M"],
  ["a position that is too large", "\x1b[<0;10;99999M"],
  ["no position", "\x1b[<M"],
  ["another end", "\x1b[<0;10;5x"],
  ["an endless number", `\x1b[<0;10;${"5".repeat(500)}M`],
  ["the old form", "\x1b[M q!"],
  ["an unknown color", "\x1b]11;red\x07"],
  ["a color with too many digits", "\x1b]11;rgb:fffff/0/0\x07"],
  ["an endless color", `\x1b]11;rgb:${"f".repeat(500)}\x07`],
])("%s in an event or answer is dropped, also in two chunks", async (_what, sequence) => {
  for (const chunks of splits(sequence)) expect(await inputOf([...chunks, "q"], "q")).toEqual([Q]);
});

test.each([
  ["a control character", "\x1b[<0;1\r", { name: "enter", text: "" }],
  ["text that is not ASCII", "\x1b[<0;1é", { name: "é", text: "é" }],
  ["another sequence", "\x1b[<0;1\x1b[A", { name: "up", text: "" }],
  ["an event", "\x1b]11;rgb:\x1b[<0;10;5M", PRESS],
])("%s in an event or answer ends it, and counts", async (_what, bytes, expected) => {
  expect(await inputOf([`${bytes}q`], "q")).toEqual([expected, Q]);
});

test("an event in a paste is text, and keys and events after the paste count", async () => {
  const [, ...chunks] = splits("\x1b[200~a\x1b[<0;1;1M\x1b[201~\x1b[<0;10;5M");
  for (const [first = "", second = ""] of chunks) {
    const pasted = { name: "paste", text: "a\x1b[<0;1;1M" };
    expect(await inputOf([first, second, "q"], "q")).toEqual([pasted, PRESS, Q]);
  }
});

test("Escape before an event is a key", async () => {
  expect(await inputOf(["\x1b\x1b[<0;10;5M"], "escape")).toEqual([PRESS, { name: "escape", text: "" }]);
});

test.each([
  ["\x1b[", []],
  ["\x1b[200~one", [{ name: "paste", text: "one" }]],
  ["\x1b[200~one\x1b[20", [{ name: "paste", text: "one\x1b[20" }]],
])("%j without an end ends after two seconds, and the next key counts", (bytes, expected) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const keyboard = new EventEmitter() as NodeJS.ReadableStream & EventEmitter;
  const input: Key[] = [];
  const ignore = () => {};
  onTestFinished(
    listenToInput(keyboard, { onKey: (key) => void input.push(key), onMouse: ignore, onBackground: ignore }),
  );
  keyboard.emit("data", bytes);
  vi.advanceTimersByTime(1_999);
  expect(input).toEqual([]);
  vi.advanceTimersByTime(1);
  keyboard.emit("data", "q");
  expect(input).toEqual([...expected, Q]);
});
