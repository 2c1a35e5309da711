import { expect, it } from "vitest";
import { nearest } from "../../../src/kit/text/nearest.js";

it.each([
  ["DATABSE_URL", "DATABASE_URL"],
  ["database_url", "DATABASE_URL"],
  ["PROT", "PORT"],
  ["gte", "get"],
  ["DB_DATABASE_URL", "DATABASE_URL"],
  ["XYZZY", undefined],
  ["", undefined],
])("nearest treats %o as a typo of %o", (word, suggestion) => {
  expect(nearest(word, ["DATABASE_URL", "PORT", "FLAGS", "set", "get"])).toBe(suggestion);
});

it("nearest suggests nothing without candidates", () => {
  expect(nearest("PORT", [])).toBeUndefined();
});
