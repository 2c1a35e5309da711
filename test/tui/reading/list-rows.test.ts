import { expect, test } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
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

const known = { isChanged: (name: string) => name === "PORT", textOf: () => undefined };

function names(rules: Partial<List>): (string | undefined)[] {
  const list: List = { ...readyState().list, ...rules };
  return listRows(entries, list, known).map((row) => entries[row]?.variable.name);
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

test("the best matches come first: a whole name, its start, a word, a description; with ~ letters last", () => {
  expect(names({ filter: "data" })).toEqual(["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
  expect(names({ filter: "~data" })).toEqual(["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
});

test("matches in descriptions come after matches in names", () => {
  expect(names({ filter: "shop" })).toEqual(["PORT"]);
  expect(names({ filter: "da" })).toEqual(["DATABASE_URL", "DATA", "LOG_DATA", "DOWN_AT_A"]);
});

test("letters with others in between are found only after ~, and only in names", () => {
  expect(names({ filter: "durl" })).toEqual([]);
  expect(names({ filter: "~durl" })).toEqual(["DATABASE_URL"]);
  expect(names({ filter: "~shpls" })).toEqual([]);
  expect(names({ filter: "centre" })).toEqual(["DOWN_AT_A"]);
});

test("a value is searched where it is shown", () => {
  const list: List = { ...readyState().list, filter: "secr" };
  const texts = [entry("A", "a Secret"), entry("B", "another secret")];
  const textOf = ({ variable, value }: VariableEntry) =>
    variable.name === "A" ? String(value?.content.value) : undefined;
  expect(listRows(texts, list, { ...known, textOf })).toEqual([0]);
});

test("each word of a filter must match, in any order and case", () => {
  expect(names({ filter: "URL  data" })).toEqual(["DATABASE_URL"]);
  expect(names({ filter: "data nowhere" })).toEqual([]);
});

test.each(["  ", "! type: name: ~ ' !~ !name:"])("the filter %o matches everything", (filter) => {
  expect(names({ filter })).toHaveLength(entries.length);
});

test("filter, type and sort can be combined", () => {
  expect(names({ filter: "d", type: "STRING", sort: "name" })).toEqual(["DATABASE_URL", "DOWN_AT_A", "LOG_DATA"]);
});

test.each([
  ["missing", ["NONE"]],
  ["encrypted", ["TOKEN"]],
  ["changed", ["PORT"]],
  ["type:number", ["PORT"]],
  ["type:j", ["DATA"]],
  ["type:number type:json", ["PORT", "DATA"]],
  ["missing type:string", ["NONE"]],
  ["type:string data", ["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["name:data", ["DATA", "DATABASE_URL", "LOG_DATA"]],
  ["name:listens", []],
  ["name:p shop", ["PORT"]],
  ["'data", ["DATA"]],
  ["!data", ["PORT", "DEBUG", "TOKEN", "NONE"]],
  ["data !'data", ["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["!missing !type:string", ["PORT", "DEBUG", "DATA"]],
  ["!~o", ["DATABASE_URL", "DEBUG", "DATA"]],
])("the filter %s shows the matching variables", (filter, expected) => {
  expect(names({ filter })).toEqual(expected);
});

test("a filter for a type that there is not matches nothing, and lists the types", () => {
  const problem = "there is no type text; use string, number, boolean, json";
  expect([names({ filter: "type:text" }), parseFilter("type:text").problem]).toEqual([[], problem]);
});

test("the order can be reversed", () => {
  expect(names({ sort: "name", isReversed: true, filter: "type:string" })).toEqual([
    "TOKEN",
    "NONE",
    "LOG_DATA",
    "DOWN_AT_A",
    "DATABASE_URL",
  ]);
});
