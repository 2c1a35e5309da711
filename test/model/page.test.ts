import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/kit/text/errors.js";
import { pageBounds, paginate } from "../../src/model/page.js";

const ITEMS = Array.from({ length: 1_200 }, (_, index) => index);

describe("the bounds of a page", () => {
  it.each([
    [{}, { limit: 50, offset: 0 }],
    [{ limit: 1 }, { limit: 1, offset: 0 }],
    [{ offset: 3 }, { limit: 50, offset: 3 }],
    [
      { limit: 1_000, offset: 5 },
      { limit: 1_000, offset: 5 },
    ],
    [{ limit: 1_001 }, { limit: 1_000, offset: 0 }],
    [{ limit: 1e300 }, { limit: 1_000, offset: 0 }],
    [{ offset: Number.MAX_SAFE_INTEGER }, { limit: 50, offset: Number.MAX_SAFE_INTEGER }],
  ])("the bounds of a page for %o are %o", (request, bounds) => {
    expect(pageBounds(request)).toStrictEqual(bounds);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "the bounds of a page can't have the limit %d",
    (limit) => {
      expect(() => pageBounds({ limit })).toThrow(
        new UsageError("limit must be a whole number of 1 or more (over 1000 counts as 1000)"),
      );
    },
  );

  it.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])(
    "the bounds of a page can't have the offset %d",
    (offset) => {
      expect(() => pageBounds({ offset })).toThrow(
        new UsageError("offset must be a whole number of 0 or more"),
      );
    },
  );
});

describe("a page", () => {
  it.each([
    [{}, 50, 0, 49],
    [{ limit: 2, offset: 10 }, 2, 10, 11],
    [{ limit: 50, offset: 1_190 }, 10, 1_190, 1_199],
    [{ limit: 5_000 }, 1_000, 0, 999],
  ])("a page for %o holds %d items, from %d to %d", (request, count, first, last) => {
    const { data, metadata } = paginate(ITEMS, request);
    expect([data.length, data[0], data.at(-1)]).toStrictEqual([count, first, last]);
    expect(metadata.total).toBe(1_200);
  });

  it.each([1_200, 1_201, Number.MAX_SAFE_INTEGER])(
    "a page is empty from the offset %d on",
    (offset) => {
      expect(paginate(ITEMS, { offset })).toStrictEqual({
        metadata: { limit: 50, offset, total: 1_200 },
        data: [],
      });
    },
  );

  it("a page of nothing is empty", () => {
    expect(paginate([])).toStrictEqual({ metadata: { limit: 50, offset: 0, total: 0 }, data: [] });
  });
});
