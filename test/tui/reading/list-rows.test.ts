import { expect, test } from "vitest";
import { listRows, parseFilter } from "../../../src/tui/reading/filter.js";
import type { List } from "../../../src/tui/state/state.js";
import { entry, readyState } from "../support/state.js";

const entries = [
  entry("PORT", 3000, "NUMBER", "where the shop listens"),
  entry("DATABASE_URL", "x", "STRING", "primary database"),
  entry("DEBUG", true, "BOOLEAN"),
  entry("DATA", {}, "JSON"),
  entry("LOG_DATA", "y", "STRING"),
  entry("DOWN_AT_A", "y", "STRING", "a data centre"),
  entry("TOKEN", "envbee:enc:v1:abc"),
  entry("NONE"),
];

function names(rules: Partial<List>): (string | undefined)[] {
  const list: List = { ...readyState().list, ...rules };
  return listRows(entries, list, (name) => name === "PORT").map((row) => entries[row]?.variable.name);
}

test("the list has the order of the source", () => {
  expect(names({})).toEqual(["PORT", "DATABASE_URL", "DEBUG", "DATA", "LOG_DATA", "DOWN_AT_A", "TOKEN", "NONE"]);
});

test("the list can be sorted by name", () => {
  expect(names({ sort: "name" })).toEqual([
    "DATA",
    "DATABASE_URL",
    "DEBUG",
    "DOWN_AT_A",
    "LOG_DATA",
    "NONE",
    "PORT",
    "TOKEN",
  ]);
});

test("the list can be sorted by type, each type in the order of the source", () => {
  expect(names({ sort: "type" })).toEqual([
    "DATABASE_URL",
    "LOG_DATA",
    "DOWN_AT_A",
    "TOKEN",
    "NONE",
    "PORT",
    "DEBUG",
    "DATA",
  ]);
});

test("the list can be limited to one type", () => {
  expect(names({ type: "STRING" })).toEqual(["DATABASE_URL", "LOG_DATA", "DOWN_AT_A", "TOKEN", "NONE"]);
});

test("the best matches come first: a whole name, its start, a word, letters", () => {
  expect(names({ filter: "data" })).toEqual(["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
});

test("matches in descriptions come after matches in names", () => {
  expect(names({ filter: "shop" })).toEqual(["PORT"]);
  expect(names({ filter: "da" })).toEqual(["DATABASE_URL", "DATA", "LOG_DATA", "DOWN_AT_A"]);
});

test("a description is found by its parts, never by letters with others in between", () => {
  expect(names({ filter: "shpls" })).toEqual([]);
  expect(names({ filter: "wtls data" })).toEqual([]);
  expect(names({ filter: "centre" })).toEqual(["DOWN_AT_A"]);
});

test("letters with others in between come after all parts of names and descriptions", () => {
  const texts = [entry("X_PORT_Z"), entry("XPZ"), entry("A", 1, "NUMBER", "see xpz")];
  const list: List = { ...readyState().list, filter: "xpz" };
  expect(listRows(texts, list, () => false)).toEqual([1, 2, 0]);
});

test("each word of a filter must match, in any order and case", () => {
  expect(names({ filter: "URL  data" })).toEqual(["DATABASE_URL"]);
  expect(names({ filter: "data nowhere" })).toEqual([]);
});

test.each(["  ", "! type: name:"])("the filter %o matches everything", (filter) => {
  expect(names({ filter })).toHaveLength(entries.length);
});

test("filter, type and sort can be combined", () => {
  expect(names({ filter: "d", type: "STRING", sort: "name" })).toEqual(["DATABASE_URL", "DOWN_AT_A", "LOG_DATA"]);
});

test.each([
  ["!missing", ["NONE"]],
  ["!encrypted", ["TOKEN"]],
  ["!changed", ["PORT"]],
  ["!number", ["PORT"]],
  ["type:json", ["DATA"]],
  ["!number !json", ["PORT", "DATA"]],
  ["!miss !string", ["NONE"]],
  ["!string data", ["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["name:data", ["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["name:listens", []],
  ["name:p shop", ["PORT"]],
])("the filter %s shows the matching variables", (filter, expected) => {
  expect(names({ filter })).toEqual(expected);
});

test.each([
  ["!foo", "there is no !foo; use !missing, !encrypted, !changed, !string, !number, !boolean, !json"],
  ["type:text", "there is no type:text; use one of string, number, boolean, json"],
])("the filter %s matches nothing and lists the valid ones", (filter, problem) => {
  expect([names({ filter }), parseFilter(filter).problem]).toEqual([[], problem]);
});

test("the order can be reversed", () => {
  expect(names({ sort: "name", isReversed: true, filter: "!string" })).toEqual([
    "TOKEN",
    "NONE",
    "LOG_DATA",
    "DOWN_AT_A",
    "DATABASE_URL",
  ]);
});
