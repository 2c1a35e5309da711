import { expect, it } from "vitest";
import { chosenColumns, listColumns, widestName } from "../../../src/tui/screens/list.js";
import { layoutOf } from "../../../src/tui/state/layout.js";
import { ENTRIES, entry, readyState } from "../support/state.js";

it.each([
  // The description gives way first, then a long name.
  [120, 12, [12, 7, 51, 40]],
  [86, 12, [12, 7, 40, 17]],
  [82, 12, [12, 7, 55]],
  [96, 32, [32, 7, 49]],
  [58, 12, [12, 7, 31]],
  [58, 32, [25, 7, 18]],
])("a list of %d columns with names of %d has columns of %j", (width, names, widths) => {
  const columns = listColumns(width, names);
  expect(columns.map((column) => column.width)).toEqual(widths);
  expect(columns.reduce((sum, column) => sum + column.width + 2, 4 - 2)).toBe(width);
});

it.each([
  [
    ["value", "name"],
    [42, 12],
  ],
  [["name"], [56]],
  [
    ["name", "description"],
    [12, 42],
  ],
  [["value", "description"], [56]],
] as const)("the columns %j are shown in this order", (shown, widths) => {
  const columns = listColumns(60, 12, shown);
  expect(columns.map((column) => column.width)).toEqual(widths);
});

it("names are measured as they are drawn, up to 32 columns", () => {
  expect(widestName(ENTRIES)).toBe("DATABASE_URL".length);
  expect(widestName([entry("日本語日本語")])).toBe(12);
  expect(widestName([entry("N".repeat(100)), entry("A")])).toBe(32);
});

it.each([120, 140, 160, 200])("at %d columns a value has at least 40, with any names and places", (columns) => {
  for (const name of ["a", "n".repeat(100)]) {
    const places = [{ name, group: "", kind: "profile", detail: "" }] as const;
    const { variables } = layoutOf(readyState(ENTRIES, { columns, rows: 30, places }));
    const value = listColumns((variables?.width ?? 0) - 2, 32).find((column) => column.name === "value");
    expect(value?.width).toBeGreaterThanOrEqual(40);
  }
});

it.each([
  [
    "widths are kept, and the others share the rest",
    [{ name: "type" }, { name: "name", width: 20 }, { name: "value" }],
    { type: 7, name: 20, value: 45 },
  ],
  [
    "all widths can be given",
    [
      { name: "name", width: 20 },
      { name: "value", width: 10 },
    ],
    { name: 20, value: 10 },
  ],
  ["the name alone has all the room", [{ name: "name" }], { name: 76 }],
  [
    "a column without room is left out",
    [{ name: "description", width: 60 }, { name: "name" }, { name: "value", width: 40 }],
    { description: 60, name: 14 },
  ],
  ["a name that is too wide has the room there is", [{ name: "name", width: 200 }], { name: 76 }],
] as const)("of chosen columns %s", (_what, chosen, widths) => {
  const columns = chosenColumns(80, 12, chosen);
  expect(columns.map(({ name, width }) => [name, width])).toEqual(Object.entries(widths));
});
