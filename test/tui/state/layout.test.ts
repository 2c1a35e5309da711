import { expect, it } from "vitest";
import { layoutOf } from "../../../src/tui/state/layout.js";
import { ENTRIES, readyState } from "../support/state.js";

function placesWidth(columns: number, ...names: string[]): number | undefined {
  const places = names.map((name) => ({ name, group: "data.json", kind: "environment", detail: "data.json" }) as const);
  return layoutOf(readyState(ENTRIES, { columns, rows: 30, places })).places?.width;
}

it("the places panel is as wide as its names, and the variables have the rest", () => {
  expect(placesWidth(120, "test", "a-name-of-20-letters")).toBe(28);
  expect(placesWidth(120, "日本語日本語日本語")).toBe(26);
  const { variables, record } = layoutOf(readyState(ENTRIES, { columns: 160, rows: 30 }));
  expect((variables?.width ?? 0) + (record?.width ?? 0)).toBe(160 - 20);
});

it("descriptions have room before the record has more than it needs", () => {
  const { variables, record } = layoutOf(readyState(ENTRIES, { columns: 200, rows: 60 }));
  expect([variables?.width, record?.width]).toEqual([115, 65]);
});

it("the places panel has a minimum and a maximum width", () => {
  expect(placesWidth(120, "a")).toBe(20);
  expect(placesWidth(120, "n".repeat(100))).toBe(30);
  expect(placesWidth(80, "n".repeat(100))).toBe(22);
  expect(placesWidth(79, "a")).toBeUndefined();
});
