import { describe, expect, test } from "vitest";
import type { VariableSource } from "../../../src/domain/source.js";
import { readEntries } from "../../../src/tui/reading/read-place.js";
import { bigData, localSource } from "../support/source.js";

async function read(source: VariableSource, known: Parameters<typeof readEntries>[1] = []) {
  const progress: [read: number, total: number][] = [];
  const reading = await readEntries(source, known, (entries, total) => void progress.push([entries().length, total]));
  return { ...reading, progress };
}

test("entries join variables and values of one environment", async () => {
  const { entries } = await read(localSource({ A: "one", B: undefined, C: 3 }));
  expect(entries.map(({ variable, value }) => [variable.name, value?.content.value])).toEqual([
    ["A", "one"],
    ["B", undefined],
    ["C", 3],
  ]);
});

test("an environment without variables has no entries", async () => {
  expect(await read(localSource({}))).toMatchObject({ entries: [], requests: 2 });
});

test("the progress is reported after each page", async () => {
  const { entries, requests, progress } = await read(localSource(bigData(2_500)));
  expect(entries).toHaveLength(2_500);
  expect(requests).toBe(6);
  expect(progress).toEqual([
    [1_000, 2_500],
    [2_000, 2_500],
    [2_500, 2_500],
  ]);
});

describe("with known entries", () => {
  test("the known array is returned if nothing has changed", async () => {
    const { entries } = await read(localSource({ A: "one", B: 2 }));
    expect((await read(localSource({ A: "one", B: 2 }), entries)).entries).toBe(entries);
  });

  test("unchanged entries are the known objects", async () => {
    const { entries } = await read(localSource({ A: "one", B: 2, C: 3 }));
    const next = (await read(localSource({ A: "one", B: "other", C: 3 }), entries)).entries;
    expect(next[0]).toBe(entries[0]);
    expect(next[1]).not.toBe(entries[1]);
    expect(next[2]).toBe(entries[2]);
  });

  test("a variable removed at the end is noticed", async () => {
    const { entries } = await read(localSource({ A: "one", B: 2 }));
    expect((await read(localSource({ A: "one" }), entries)).entries).toEqual([entries[0]]);
  });
});
