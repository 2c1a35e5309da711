import { expect, test } from "vitest";
import { Screen } from "../../src/tui/screen.js";

function testScreen(): { screen: Screen; written: string[]; setBusy: (busy: boolean) => void } {
  const written: string[] = [];
  let isBusy = false;
  let drained = () => {};
  const screen = new Screen({
    write: (text) => void written.push(text),
    isBusy: () => isBusy,
    onDrain: (listener) => {
      drained = listener;
      return () => {
        drained = () => {};
      };
    },
  });
  const setBusy = (busy: boolean) => {
    isBusy = busy;
    if (!busy) drained();
  };
  return { screen, written, setBusy };
}

test("the first frame is written whole, line by line, in one piece", () => {
  const { screen, written } = testScreen();
  screen.show("one\ntwo");
  expect(written).toEqual(["\x1b[?2026h\x1b[1;1H\x1b[2Kone\x1b[0m\x1b[2;1H\x1b[2Ktwo\x1b[0m\x1b[?2026l"]);
});

test("of the next only the lines that changed", () => {
  const { screen, written } = testScreen();
  screen.show("one\ntwo\nthree");
  screen.show("one\n2\nthree");
  expect(written[1]).toBe("\x1b[?2026h\x1b[2;1H\x1b[2K2\x1b[0m\x1b[?2026l");
});

test("the same frame is not written again", () => {
  const { screen, written } = testScreen();
  screen.show("one");
  screen.show("one");
  expect(written).toHaveLength(1);
});

test("a lower frame is written whole, and nothing below it: a terminal may have no more lines than that", () => {
  const { screen, written } = testScreen();
  screen.show("one\ntwo\nthree");
  screen.show("one\n2");
  expect(written[1]).toBe("\x1b[?2026h\x1b[1;1H\x1b[J\x1b[1;1H\x1b[2Kone\x1b[0m\x1b[2;1H\x1b[2K2\x1b[0m\x1b[?2026l");
});

test("a terminal that can't follow gets the newest frame only", () => {
  const { screen, written, setBusy } = testScreen();
  setBusy(true);
  screen.show("one");
  screen.show("two");
  expect(written).toEqual([]);
  setBusy(false);
  expect(written).toHaveLength(1);
  expect(written[0]).toContain("two");
});

test("a redraw writes all lines again", () => {
  const { screen, written } = testScreen();
  screen.show("one\ntwo");
  screen.redraw();
  expect(written.slice(1).join("")).toMatch(/\[J.*one.*two/s);
});
