import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Key } from "../../../src/tui/state/key.js";
import { listenToKeys } from "../../../src/tui/terminal/keys.js";

/** The keys for the bytes of a terminal, up to the one with this name. */
async function keysOf(bytes: string, last: string): Promise<Key[]> {
  const keyboard = new PassThrough();
  const keys: Key[] = [];
  const stop = listenToKeys(keyboard, (key) => {
    keys.push(key);
    if (key.name === last) keyboard.emit("last");
  });
  const done = once(keyboard, "last");
  keyboard.write(bytes);
  await done;
  stop();
  return keys;
}

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
  expect(keys.map(({ name }) => name)).toEqual(["/", "a", "b", "enter", "down", "q"]);
});

test("a paste is one key with newlines", async () => {
  const keys = await keysOf("\x1b[200~one\r\ntwo\tx\r\x1b[201~q", "q");
  expect(keys).toEqual([
    { name: "paste", text: "one\ntwo\tx\n" },
    { name: "q", text: "q" },
  ]);
});
