import { describe, expect, it, vi } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import { DATA, edited } from "../support/data.js";

describe("a memory store", () => {
  it("holds the data that it was made with, and has no problem", () => {
    const store = createMemoryStore(DATA);
    expect(store.snapshot).toStrictEqual(DATA);
    expect(store.problem).toBeUndefined();
  });

  it("refuses data that a data file could not hold", () => {
    const broken = edited(({ variables }) => {
      variables[2].id = 1;
    });
    expect(() => createMemoryStore(broken)).toThrow(
      new InvalidDataError('variables[2] (id 1, "DEBUG"): has the same id as variables[1]'),
    );
  });

  it("never tells of a change, and closes", async () => {
    const listener = vi.fn();
    const store = createMemoryStore(DATA);
    store.subscribe(listener)();
    await store.close();
    expect(listener).not.toHaveBeenCalled();
  });
});
