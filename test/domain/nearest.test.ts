import { expect, it } from "vitest";
import { nearest } from "../../src/domain/nearest.js";

it.each([
  ["DATABSE_URL", "DATABASE_URL"],
  ["database_url", "DATABASE_URL"],
  ["PROT", "PORT"],
  ["XYZZY", undefined],
  ["", undefined],
])("takes %o for a mistyping of %o", (word, suggestion) => {
  expect(nearest(word, ["DATABASE_URL", "PORT", "FLAGS"])).toBe(suggestion);
});

it("suggests nothing where there is nothing", () => {
  expect(nearest("PORT", [])).toBeUndefined();
});
