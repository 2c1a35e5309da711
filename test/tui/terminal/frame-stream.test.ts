import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { FrameStream } from "../../../src/tui/terminal/frame-stream.js";

function testScreen(): {
  screen: FrameStream;
  written: string[];
  setBusy: (busy: boolean) => void;
} {
  const written: string[] = [];
  const output = Object.assign(new EventEmitter(), { writableNeedDrain: false });
  const screen = new FrameStream({
    write: (text) => void written.push(text),
    output,
    size: () => ({ columns: 80, rows: 24 }),
  });
  const setBusy = (busy: boolean) => {
    output.writableNeedDrain = busy;
    if (!busy) output.emit("drain");
  };
  return { screen, written, setBusy };
}

test("the first frame is written completely in one write", () => {
  const { screen, written } = testScreen();
  screen.write("one\ntwo");
  expect(written).toEqual([
    "\x1b[?2026h\x1b[1;1H\x1b[2Kone\x1b[0m\x1b[2;1H\x1b[2Ktwo\x1b[0m\x1b[?2026l",
  ]);
});

test("the next frame writes only changed lines", () => {
  const { screen, written } = testScreen();
  screen.write("one\ntwo\nthree");
  screen.write("one\n2\nthree");
  expect(written[1]).toBe("\x1b[?2026h\x1b[2;1H\x1b[2K2\x1b[0m\x1b[?2026l");
});

test("an unchanged frame is not written", () => {
  const { screen, written } = testScreen();
  screen.write("one");
  screen.write("one");
  expect(written).toHaveLength(1);
});

test("a slow terminal gets only the newest frame", () => {
  const { screen, written, setBusy } = testScreen();
  setBusy(true);
  screen.write("one");
  screen.write("two");
  expect(written).toEqual([]);
  setBusy(false);
  expect(written).toHaveLength(1);
  expect(written[0]).toContain("two");
});

test("the next frame after a clear is written completely", () => {
  const { screen, written } = testScreen();
  screen.write("one\ntwo");
  screen.clear();
  screen.write("one\ntwo");
  expect(written.slice(1).join("")).toMatch(/\[J.*one.*two/s);
});
