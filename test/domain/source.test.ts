import { describe, expect, it, vi } from "vitest";
import type { Page, PageRequest } from "../../src/domain/page.js";
import { readAll } from "../../src/domain/source.js";

/** A list of which each read finds another length: the last of `totals` from then on. */
function changingList(...totals: [number, ...number[]]) {
  return vi.fn(async ({ limit = 50, offset = 0 }: PageRequest): Promise<Page<number>> => {
    const total = totals.length > 1 ? (totals.shift() as number) : totals[0];
    const items = Array.from({ length: total }, (_, index) => index);
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
    expect(await readAll(list)).toStrictEqual(Array.from({ length: total }, (_, index) => index));
    expect(list).toHaveBeenCalledTimes(requests);
  });

  it("asks for the largest page, each time from where it got to", async () => {
    const list = changingList(1_500);
    await readAll(list);
    expect(list.mock.calls).toStrictEqual([[{ limit: 1_000, offset: 0 }], [{ limit: 1_000, offset: 1_000 }]]);
  });

  it("goes on from the end of a page that is shorter than asked for", async () => {
    const items = ["a", "b", "c"];
    const list = async ({ offset = 0 }: PageRequest) => ({
      metadata: { limit: 1, offset, total: 3 },
      data: items.slice(offset, offset + 1),
    });
    expect(await readAll(list)).toStrictEqual(items);
  });

  it("ends when the list shrinks while it is read", async () => {
    const list = changingList(2_500, 700);
    expect(await readAll(list)).toHaveLength(1_000);
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("ends at an empty page, whatever total it claims", async () => {
    const list = vi.fn(async () => ({ metadata: { limit: 1_000, offset: 0, total: 9 }, data: [] }));
    expect(await readAll(list)).toStrictEqual([]);
    expect(list).toHaveBeenCalledTimes(1);
  });

  it("reads what the list grows by while it is read", async () => {
    expect(await readAll(changingList(1_001, 1_200))).toHaveLength(1_200);
  });

  it("fails when one page fails", async () => {
    const list = changingList(1_500).mockRejectedValueOnce(new Error("gone"));
    await expect(readAll(list)).rejects.toThrow("gone");
  });
});
