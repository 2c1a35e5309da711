import { describe, expect, it, vi } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import { DATA, edited } from "../support/data.js";

describe("a memory store", () => {
  it("a memory store has its data and no problem", () => {
    const store = createMemoryStore(DATA);
    expect(store.snapshot).toStrictEqual(DATA);
    expect(store.problem).toBeUndefined();
  });

  it("createMemoryStore refuses data that breaks a rule", () => {
    const broken = edited(({ variables }) => {
      variables[2].id = 1;
    });
    expect(() => createMemoryStore(broken)).toThrow(
      new InvalidDataError('variables[2] (id 1, "DEBUG"): has the same id as variables[1]'),
    );
  });

  it("a memory store never notifies listeners, and closes", async () => {
    const listener = vi.fn();
    const store = createMemoryStore(DATA);
    store.subscribe(listener)();
    await store.close();
    expect(listener).not.toHaveBeenCalled();
  });
});
