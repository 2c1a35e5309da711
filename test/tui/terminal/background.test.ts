import { describe, expect, test, vi } from "vitest";
import { askBackground, backgroundFrom, shadeOf } from "../../../src/tui/terminal/background.js";

test.each([
  ["black", [0, 0, 0], "dark"],
  ["white", [1, 1, 1], "light"],
  ["Solarized's dark blue", [0, 0.169, 0.212], "dark"],
  ["Solarized's beige", [0.992, 0.965, 0.89], "light"],
  ["pure blue", [0, 0, 1], "dark"],
  ["pure green", [0, 1, 0], "light"],
] as const)("%s is %j, which is %s", (_name, color, shade) => {
  expect(shadeOf(color)).toBe(shade);
});

test.each([
  ["15;0", "dark"],
  ["0;15", "light"],
  ["0;default;7", "light"],
  ["7;8", "dark"],
  ["15;default", undefined],
  ["0;16", undefined],
  ["15", undefined],
  ["", undefined],
  [undefined, undefined],
])("COLORFGBG=%s means %s", (colors, shade) => {
  expect(backgroundFrom(colors)).toBe(shade);
});

describe("the question for the background", () => {
  test("the first answer counts", async () => {
    const { answer, answered } = askBackground({ write: () => {} });
    answer([0, 0, 0]);
    answer([1, 1, 1]);
    expect(await answered).toEqual([0, 0, 0]);
  });

  test("an answer that comes too late is ignored", async () => {
    vi.useFakeTimers();
    const { answer, answered } = askBackground({ write: () => {} });
    vi.advanceTimersByTime(500);
    vi.useRealTimers();
    answer([0, 0, 0]);
    expect(await answered).toBeUndefined();
  });
});
