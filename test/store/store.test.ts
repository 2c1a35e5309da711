import { describe, expect, it } from "vitest";
import { followProblem, type Store } from "../../src/store/store.js";
import { DATA } from "../support/data.js";

/**
 * The reports about a store with these problems, in order; the first arises before it is watched.
 */
function toldOf(
  first: string | undefined,
  ...later: (string | undefined)[]
): (string | undefined)[] {
  const told: (string | undefined)[] = [];
  const listeners: (() => void)[] = [];
  const state = { problem: first };
  const store: Store = {
    data: DATA,
    get problem() {
      return state.problem;
    },
    subscribe: (listener) => {
      listeners.push(listener);
      return () => {};
    },
    close: async () => {},
  };
  followProblem(store, (problem) => told.push(problem));
  for (const problem of later) {
    state.problem = problem;
    for (const listener of listeners) listener();
  }
  return told;
}

describe("followProblem", () => {
  it("calls the listener each time the data is reloaded", () => {
    expect(toldOf(undefined, undefined, "a", undefined, undefined, "a")).toEqual([
      undefined,
      "a",
      undefined,
      undefined,
      "a",
    ]);
  });

  it("calls the listener at once if there is a problem", () => {
    expect(toldOf("a", "b", undefined)).toEqual(["a", "b", undefined]);
  });
});
