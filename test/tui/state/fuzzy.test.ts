import { describe, expect, test } from "vitest";
import { matchPositions, matchRank, NO_MATCH, searchWords } from "../../../src/tui/state/fuzzy.js";

describe("matchRank", () => {
  test.each([
    ["port", "port", 0],
    ["data", "database_url", 1],
    ["url", "database_url", 2],
    ["base", "database_url", 3],
    ["dburl", "database_url", 4],
    ["lru", "database_url", NO_MATCH],
    ["e", "é_e", 2],
    ["x", "", NO_MATCH],
  ])("%j in %j is %j", (word, text, rank) => {
    expect(matchRank(word, text)).toBe(rank);
  });

  test("prefers the start of a later word to the middle of an earlier one", () => {
    expect(matchRank("log", "catalog_log")).toBe(2);
  });
});

describe("matchPositions", () => {
  test("marks a word where one begins with it", () => {
    expect([...matchPositions(["log"], "CATALOG_LOG")]).toEqual([8, 9, 10]);
  });

  test("marks letters that have others between them", () => {
    expect([...matchPositions(["dburl"], "DATABASE_URL")]).toEqual([0, 4, 9, 10, 11]);
  });

  test("marks each word of a query", () => {
    expect([...matchPositions(searchWords("url data"), "DATABASE_URL")]).toEqual([9, 10, 11, 0, 1, 2, 3]);
  });

  test("marks nothing where lower case has another length", () => {
    expect([...matchPositions(["i"], "İI")]).toEqual([]);
  });

  test("marks nothing of a word that does not fit", () => {
    expect([...matchPositions(["xyz"], "PORT")]).toEqual([]);
  });
});
