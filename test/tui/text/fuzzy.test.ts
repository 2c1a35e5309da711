import { describe, expect, test } from "vitest";
import { filterWords, matchPositions, NO_MATCH, nameRank } from "../../../src/tui/text/fuzzy.js";

describe("nameRank after ~", () => {
  test.each([
    ["port", "port", 0],
    ["data", "database_url", 1],
    ["url", "database_url", 2],
    ["base", "database_url", 3],
    ["dburl", "database_url", 4],
    ["lru", "database_url", NO_MATCH],
    ["e", "é_e", 2],
    ["x", "", NO_MATCH],
  ])("the rank of %j in %j is %j", (word, text, rank) => {
    expect(nameRank(`~${word}`, text)).toBe(rank);
  });

  test("the start of a later word ranks above the middle of an earlier one", () => {
    expect(nameRank("~log", "catalog_log")).toBe(2);
  });
});

test.each([
  ["base", 3],
  ["dburl", NO_MATCH],
  ["~dburl", 4],
  ["'database", NO_MATCH],
  ["'database_url", 0],
  ["!port", 0],
  ["!url", NO_MATCH],
  ["!'url", 0],
])("the rank of database_url for %s in a filter is %s", (word, rank) => {
  expect(nameRank(word, "database_url")).toBe(rank);
});

describe("matchPositions", () => {
  test("a match is marked at the start of a word if possible", () => {
    expect([...matchPositions(["log"], "CATALOG_LOG")]).toEqual([8, 9, 10]);
  });

  test("letters with others in between are marked after ~", () => {
    expect([...matchPositions(["~dburl"], "DATABASE_URL")]).toEqual([0, 4, 9, 10, 11]);
    expect([...matchPositions(["dburl"], "DATABASE_URL")]).toEqual([]);
  });

  test("each word of a query is marked", () => {
    expect([...matchPositions(filterWords("url data !x"), "DATABASE_URL")]).toEqual([
      9, 10, 11, 0, 1, 2, 3,
    ]);
  });

  test("a word without a match marks nothing", () => {
    expect([...matchPositions(["xyz"], "PORT")]).toEqual([]);
  });
});
