import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/domain/errors.js";
import { checkId } from "../../src/domain/id.js";

describe("checkId", () => {
  it.each([1, 42, Number.MAX_SAFE_INTEGER])("takes %d", (id) => {
    expect(checkId(id)).toBe(id);
  });

  it.each([0, -0, -1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])("refuses %d", (id) => {
    expect(() => checkId(id)).toThrow(new UsageError("id must be a positive whole number"));
  });
});
