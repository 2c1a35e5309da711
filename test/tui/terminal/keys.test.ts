import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { listenToInput } from "../../../src/tui/terminal/input.js";
import type { Key, Mouse } from "../../../src/tui/widgets/key.js";

/** Returns the input reported for chunks from a terminal, up to the key with a name. */
async function inputOf(chunks: readonly string[], last: string): Promise<(Key | Mouse | string)[]> {
  const keyboard = new PassThrough();
  const input: (Key | Mouse | string)[] = [];
  const done = new Promise<void>((resolve) => {
    const stop = listenToInput(keyboard, {
      onKey: (key) => {
        input.push(key);
        if (key.name !== last) return;
        stop();
        resolve();
      },
      onMouse: (mouse) => void input.push(mouse),
      onAnswer: (answer) => void input.push(answer),
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
  expect(keys.map((key) => typeof key === "object" && "name" in key && key.name)).toEqual([
    "/",
    "a",
    "b",
    "enter",
    "down",
    "q",
  ]);
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

/** Returns a text as one chunk, and split in two at each position. */
function splits(text: string): string[][] {
  return Array.from(text, (_, index) => [text.slice(0, index), text.slice(index)]);
}

test.each([
  ["a press", "\x1b[<0;10;5M", PRESS],
  ["the wheel up", "\x1b[<64;10;5M", { ...PRESS, action: "wheel-up" }],
  ["the wheel down", "\x1b[<65;10;5M", { ...PRESS, action: "wheel-down" }],
  ["an answer", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "11;rgb:ffff/ffff/ffff"],
  ["an answer with another end", "\x1b]11;rgb:00/00/0\x07", "11;rgb:00/00/0"],
])("%s is reported, even in two chunks, and types nothing", async (_what, sequence, expected) => {
  for (const chunks of splits(sequence))
    expect(await inputOf([...chunks, "q"], "q")).toEqual([expected, Q]);
});

test.each([
  ["a release", "\x1b[<0;10;5m"],
  ["another button", "\x1b[<2;10;5M"],
  ["a motion", "\x1b[<32;10;5M"],
  ["a position of 0", "\x1b[<0;0;5M"],
  ["no position", "\x1b[<M"],
  ["another end", "\x1b[<0;10;5x"],
])("%s in an event is dropped, even in two chunks", async (_what, sequence) => {
  for (const chunks of splits(sequence)) expect(await inputOf([...chunks, "q"], "q")).toEqual([Q]);
});

test("a mouse event in a paste is text, and keys and events after the paste are reported", async () => {
  const [, ...chunks] = splits("\x1b[200~a\x1b[<0;1;1M\x1b[201~\x1b[<0;10;5M");
  for (const [first = "", second = ""] of chunks) {
    const pasted = { name: "paste", text: "a\x1b[<0;1;1M" };
    expect(await inputOf([first, second, "q"], "q")).toEqual([pasted, PRESS, Q]);
  }
});

test("Escape before a mouse event is a key", async () => {
  expect(await inputOf(["\x1b\x1b[<0;10;5M"], "escape")).toEqual([
    PRESS,
    { name: "escape", text: "" },
  ]);
});

test.each([
  ["\x1b[", []],
  ["\x1b[200~one", [{ name: "paste", text: "one" }]],
  ["\x1b[200~one\x1b[20", [{ name: "paste", text: "one\x1b[20" }]],
])("%j without an end ends after two seconds, and the next key is reported", (bytes, expected) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const keyboard = new EventEmitter() as NodeJS.ReadableStream & EventEmitter;
  const input: Key[] = [];
  const ignore = () => {};
  onTestFinished(
    listenToInput(keyboard, {
      onKey: (key) => void input.push(key),
      onMouse: ignore,
      onAnswer: ignore,
    }),
  );
  keyboard.emit("data", bytes);
  vi.advanceTimersByTime(1_999);
  expect(input).toEqual([]);
  vi.advanceTimersByTime(1);
  keyboard.emit("data", "q");
  expect(input).toEqual([...expected, Q]);
});
