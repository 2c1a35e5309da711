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

test("all come in the order of the source", () => {
  expect(names({})).toEqual(["PORT", "DATABASE_URL", "DEBUG", "DATA", "LOG_DATA", "DOWN_AT_A"]);
});

test("sorted by name", () => {
  expect(names({ sort: "name" })).toEqual(["DATA", "DATABASE_URL", "DEBUG", "DOWN_AT_A", "LOG_DATA", "PORT"]);
});

test("sorted by type, each type in the order of the source", () => {
  expect(names({ sort: "type" })).toEqual(["DATABASE_URL", "LOG_DATA", "DOWN_AT_A", "PORT", "DEBUG", "DATA"]);
});

test("one type only", () => {
  expect(names({ type: "STRING" })).toEqual(["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
});

test("what fits a filter best comes first: all of a name, its start, a word of it, letters in it", () => {
  expect(names({ filter: "data" })).toEqual(["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
});

test("what is found in a description alone comes after what is found in names", () => {
  expect(names({ filter: "shop" })).toEqual(["PORT"]);
  expect(names({ filter: "da" })).toEqual(["DATABASE_URL", "DATA", "LOG_DATA", "DOWN_AT_A"]);
});

test("each word of a filter has to be found, in any order and case", () => {
  expect(names({ filter: "URL  data" })).toEqual(["DATABASE_URL"]);
  expect(names({ filter: "data nowhere" })).toEqual([]);
});

test("a filter of spaces is none", () => {
  expect(names({ filter: "  " })).toHaveLength(entries.length);
});

test("filter, type and sort go together", () => {
  expect(names({ filter: "d", type: "STRING", sort: "name" })).toEqual(["DATABASE_URL", "DOWN_AT_A", "LOG_DATA"]);
});
