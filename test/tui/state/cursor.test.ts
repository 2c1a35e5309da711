import { expect, it } from "vitest";
import { keepVisible, moveCursor } from "../../../src/tui/widgets/list.js";

it.each([
  ["up", 49],
  ["k", 49],
  ["down", 51],
  ["j", 51],
  ["pageup", 40],
  ["ctrl-b", 40],
  ["pagedown", 60],
  ["ctrl-f", 60],
  ["ctrl-u", 45],
  ["ctrl-d", 55],
  ["home", 0],
  ["g", 0],
  ["end", 99],
  ["G", 99],
])("%s moves the cursor", (key, cursor) => {
  expect(moveCursor({ cursor: 50, top: 45 }, 100, 10, key)?.cursor).toBe(cursor);
});

it("other keys don't move the cursor", () => {
  expect(moveCursor({ cursor: 50, top: 45 }, 100, 10, "left")).toBeUndefined();
});

it.each([
  ["k", 0],
  ["pageup", 0],
  ["j", 2],
  ["pagedown", 2],
  ["ctrl-d", 2],
])("%s keeps the cursor in the list", (key, cursor) => {
  const start = key === "k" || key === "pageup" ? 0 : 2;
  expect(moveCursor({ cursor: start, top: 0 }, 3, 10, key)).toEqual({ cursor, top: 0 });
});

it.each(["up", "end", "pagedown", "g"])("%s keeps the cursor at the start of an empty list", (key) => {
  expect(moveCursor({ cursor: 0, top: 0 }, 0, 10, key)).toEqual({ cursor: 0, top: 0 });
});

it("a list scrolls no further than necessary", () => {
  expect(moveCursor({ cursor: 5, top: 0 }, 100, 10, "down")).toEqual({ cursor: 6, top: 0 });
  expect(moveCursor({ cursor: 9, top: 0 }, 100, 10, "down")).toEqual({ cursor: 10, top: 1 });
  expect(moveCursor({ cursor: 20, top: 20 }, 100, 10, "up")).toEqual({ cursor: 19, top: 19 });
});

it("the end of a list fills the page", () => {
  expect(moveCursor({ cursor: 0, top: 0 }, 100, 10, "end")).toEqual({ cursor: 99, top: 90 });
});

it("the cursor moves into a list that has become shorter", () => {
  expect(keepVisible({ cursor: 99, top: 90 }, 12, 10)).toEqual({ cursor: 11, top: 2 });
  expect(keepVisible({ cursor: 99, top: 90 }, 0, 10)).toEqual({ cursor: 0, top: 0 });
});

it("half a page of one line is one line", () => {
  expect(moveCursor({ cursor: 5, top: 5 }, 100, 1, "ctrl-d")).toEqual({ cursor: 6, top: 6 });
});
