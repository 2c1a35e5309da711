import { describe, expect, it } from "vitest";
import { byId, findById } from "../../src/store/sorted.js";

describe("findById", () => {
  it.each([0, 1, 2, 3, 4, 7, 8])("finds each of %i records, and no other", (length) => {
    const records = Array.from({ length }, (_, index) => ({ id: 2 * index + 2 }));
    for (const record of records) expect(findById(records, record.id)).toBe(record);
    for (let id = 1; id <= 2 * length + 1; id += 2) expect(findById(records, id)).toBeUndefined();
  });

  it("finds the largest ids there can be", () => {
    const records = [{ id: 1 }, { id: Number.MAX_SAFE_INTEGER - 1 }, { id: Number.MAX_SAFE_INTEGER }].sort(byId);
    for (const record of records) expect(findById(records, record.id)).toBe(record);
  });
});
