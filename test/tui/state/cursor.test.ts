import { expect, it } from "vitest";
import { inView, moveCursor } from "../../../src/tui/state/cursor.js";

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
])("moves with %s", (key, cursor) => {
  expect(moveCursor({ cursor: 50, top: 45 }, 100, 10, key)?.cursor).toBe(cursor);
});

it("knows keys that move nothing", () => {
  expect(moveCursor({ cursor: 50, top: 45 }, 100, 10, "left")).toBeUndefined();
});

it.each([
  ["k", 0],
  ["pageup", 0],
  ["j", 2],
  ["pagedown", 2],
  ["ctrl-d", 2],
])("stays in the list with %s", (key, cursor) => {
  const start = key === "k" || key === "pageup" ? 0 : 2;
  expect(moveCursor({ cursor: start, top: 0 }, 3, 10, key)).toEqual({ cursor, top: 0 });
});

it.each(["up", "end", "pagedown", "g"])("stays at the start of an empty list with %s", (key) => {
  expect(moveCursor({ cursor: 0, top: 0 }, 0, 10, key)).toEqual({ cursor: 0, top: 0 });
});

it("scrolls no further than it must", () => {
  expect(moveCursor({ cursor: 5, top: 0 }, 100, 10, "down")).toEqual({ cursor: 6, top: 0 });
  expect(moveCursor({ cursor: 9, top: 0 }, 100, 10, "down")).toEqual({ cursor: 10, top: 1 });
  expect(moveCursor({ cursor: 20, top: 20 }, 100, 10, "up")).toEqual({ cursor: 19, top: 19 });
});

it("fills the page at the end of the list", () => {
  expect(moveCursor({ cursor: 0, top: 0 }, 100, 10, "end")).toEqual({ cursor: 99, top: 90 });
});

it("comes back into a list that has become shorter", () => {
  expect(inView({ cursor: 99, top: 90 }, 12, 10)).toEqual({ cursor: 11, top: 2 });
  expect(inView({ cursor: 99, top: 90 }, 0, 10)).toEqual({ cursor: 0, top: 0 });
});

it("moves half a page of one line by one", () => {
  expect(moveCursor({ cursor: 5, top: 5 }, 100, 1, "ctrl-d")).toEqual({ cursor: 6, top: 6 });
});
