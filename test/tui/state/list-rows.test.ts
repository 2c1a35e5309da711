import { expect, test } from "vitest";
import { listRows } from "../../../src/tui/state/list-rows.js";
import type { List } from "../../../src/tui/state/state.js";
import { entry } from "../support/state.js";

const entries = [
  entry("PORT", 3000, "NUMBER", "where the shop listens"),
  entry("DATABASE_URL", "x", "STRING", "primary database"),
  entry("DEBUG", true, "BOOLEAN"),
  entry("DATA", {}, "JSON"),
  entry("LOG_DATA", "y", "STRING"),
  entry("DOWN_AT_A", "y", "STRING", "a data centre"),
];

function names(rules: Partial<List>): (string | undefined)[] {
  const list: List = { filter: "", type: undefined, sort: "id", rows: [], cursor: 0, top: 0, ...rules };
  return listRows(entries, list).map((row) => entries[row]?.variable.name);
}

test("the list has the order of the source", () => {
  expect(names({})).toEqual(["PORT", "DATABASE_URL", "DEBUG", "DATA", "LOG_DATA", "DOWN_AT_A"]);
});

test("the list can be sorted by name", () => {
  expect(names({ sort: "name" })).toEqual(["DATA", "DATABASE_URL", "DEBUG", "DOWN_AT_A", "LOG_DATA", "PORT"]);
});

test("the list can be sorted by type, each type in the order of the source", () => {
  expect(names({ sort: "type" })).toEqual(["DATABASE_URL", "LOG_DATA", "DOWN_AT_A", "PORT", "DEBUG", "DATA"]);
});

test("the list can be limited to one type", () => {
  expect(names({ type: "STRING" })).toEqual(["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
});

test("the best matches come first: a whole name, its start, a word, letters", () => {
  expect(names({ filter: "data" })).toEqual(["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
});

test("matches in descriptions come after matches in names", () => {
  expect(names({ filter: "shop" })).toEqual(["PORT"]);
  expect(names({ filter: "da" })).toEqual(["DATABASE_URL", "DATA", "LOG_DATA", "DOWN_AT_A"]);
});

test("each word of a filter must match, in any order and case", () => {
  expect(names({ filter: "URL  data" })).toEqual(["DATABASE_URL"]);
  expect(names({ filter: "data nowhere" })).toEqual([]);
});

test("a filter of spaces matches everything", () => {
  expect(names({ filter: "  " })).toHaveLength(entries.length);
});

test("filter, type and sort can be combined", () => {
  expect(names({ filter: "d", type: "STRING", sort: "name" })).toEqual(["DATABASE_URL", "DOWN_AT_A", "LOG_DATA"]);
});
