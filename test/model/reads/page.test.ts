import { describe, expect, it, vi } from "vitest";
import { UsageError } from "../../../src/kit/text/errors.js";
import { InconsistentAnswersError } from "../../../src/model/errors.js";
import {
  type Page,
  type PageRequest,
  pageBounds,
  paginate,
  readAll,
} from "../../../src/model/reads/page.js";

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
  ])("for %o are %o", (request, bounds) => {
    expect(pageBounds(request)).toStrictEqual(bounds);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "can't have the limit %d",
    (limit) => {
      expect(() => pageBounds({ limit })).toThrow(
        new UsageError("limit must be a whole number of 1 or more (over 1000 counts as 1000)"),
      );
    },
  );

  it.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])(
    "can't have the offset %d",
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
  ])("for %o holds %d items, from %d to %d", (request, count, first, last) => {
    const { data, metadata } = paginate(ITEMS, request);
    expect([data.length, data[0], data.at(-1)]).toStrictEqual([count, first, last]);
    expect(metadata.total).toBe(1_200);
  });

  it.each([1_200, 1_201, Number.MAX_SAFE_INTEGER])("is empty from the offset %d on", (offset) => {
    expect(paginate(ITEMS, { offset })).toStrictEqual({
      metadata: { limit: 50, offset, total: 1_200 },
      data: [],
    });
  });

  it("of nothing is empty", () => {
    expect(paginate([])).toStrictEqual({ metadata: { limit: 50, offset: 0, total: 0 }, data: [] });
  });
});

type Item = { id: number };

const itemsTo = (last: number): Item[] =>
  Array.from({ length: last }, (_, index) => ({ id: index + 1 }));

/** A list of which each read finds another length: the last of `totals` from then on. */
function changingList(...totals: [number, ...number[]]) {
  return vi.fn(async ({ limit = 50, offset = 0 }: PageRequest): Promise<Page<Item>> => {
    const total = totals.length > 1 ? (totals.shift() as number) : totals[0];
    const items = itemsTo(total);
    return { metadata: { limit, offset, total }, data: items.slice(offset, offset + limit) };
  });
}

describe("readAll", () => {
  it.each([
    [0, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [2_500, 3],
  ])("reads a list of %d items with %d requests", async (total, requests) => {
    const list = changingList(total);
    expect(await readAll(list)).toStrictEqual(itemsTo(total));
    expect(list).toHaveBeenCalledTimes(requests);
  });

  it("requests pages of the maximum size, each from the end of the last", async () => {
    const list = changingList(1_500);
    await readAll(list);
    expect(list.mock.calls).toStrictEqual([
      [{ limit: 1_000, offset: 0 }],
      [{ limit: 1_000, offset: 1_000 }],
    ]);
  });

  it("continues after a page that is shorter than requested", async () => {
    const items = itemsTo(3);
    const list = async ({ offset = 0 }: PageRequest) => ({
      metadata: { limit: 1, offset, total: 3 },
      data: items.slice(offset, offset + 1),
    });
    expect(await readAll(list)).toStrictEqual(items);
  });

  it.each([
    ["shrinks", 2_500, 700],
    ["grows", 1_001, 1_200],
  ])("fails when the list %s while it is read", async (_how, before, after) => {
    const list = changingList(before, after);
    const error = new InconsistentAnswersError(
      `the length of a list changed from ${before} to ${after}`,
    );
    await expect(readAll(list)).rejects.toThrow(error);
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("fails when a list ends before the total that it claims", async () => {
    const list = vi.fn(async () => ({ metadata: { limit: 1_000, offset: 0, total: 9 }, data: [] }));
    await expect(readAll(list)).rejects.toThrow(
      new InconsistentAnswersError("the server leaves out the end of a list"),
    );
    expect(list).toHaveBeenCalledTimes(1);
  });

  it("accepts a page of any length", async () => {
    const data = itemsTo(500_000);
    const list = async () => ({ metadata: { limit: 1_000, offset: 0, total: data.length }, data });
    expect(await readAll(list)).toHaveLength(500_000);
  });

  it.each([
    ["go back", 1],
    ["repeat", 2],
  ])("fails when the ids of the next page %s", async (_what, id) => {
    const list = async ({ offset = 0 }: PageRequest) => ({
      metadata: { limit: 1, offset, total: 2 },
      data: [{ id: offset === 0 ? 2 : id }],
    });
    await expect(readAll(list)).rejects.toThrow(
      new InconsistentAnswersError("the server repeats ids in the pages of a list"),
    );
  });

  it("fails when one page fails", async () => {
    const list = changingList(1_500).mockRejectedValueOnce(new Error("gone"));
    await expect(readAll(list)).rejects.toThrow("gone");
  });
});
