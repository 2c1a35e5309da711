import { describe, expect, test } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import {
  failed,
  isReading,
  loaded,
  loadWhenDue,
  openPlace,
  progressed,
  reload,
} from "../../../src/tui/reading/loading.js";
import type { State } from "../../../src/tui/state/state.js";
import { entry, loadingState, NOW, PLACES, readyState } from "../support/state.js";

const entries = [entry("PORT", 3000, "NUMBER"), entry("URL", "a"), entry("DEBUG", true, "BOOLEAN")];

function readAgain(state: State, next: readonly VariableEntry[], requests = 3): State {
  return loaded(state, { entries: next, asOf: NOW + 5_000, problem: undefined, requests, now: NOW + 5_000 });
}

describe("the first reading", () => {
  test("the first read shows its progress", () => {
    const state = progressed(loadingState(), entries.slice(0, 2), 3);
    expect(state.list.rows).toEqual([0, 1]);
    expect(state.loaded).toMatchObject({ isComplete: false, total: 3 });
    expect(isReading(state.loaded)).toBe(true);
  });

  test("the cursor stays on its variable during the first read", () => {
    const some = progressed(loadingState(), entries.slice(1), 3);
    const state = progressed({ ...some, list: { ...some.list, cursor: 1 } }, entries, 3);
    expect(state.list.cursor).toBe(2);
  });

  test("the first read marks nothing and shows no notice", () => {
    const state = readyState(entries);
    expect(state.loaded).toMatchObject({ isComplete: true, asOf: NOW, total: 3 });
    expect([state.recentChanges, state.notice]).toEqual([undefined, undefined]);
  });
});

describe("a later reading", () => {
  test("a later read marks changed entries and shows a notice", () => {
    const changed = { ...entries[1], value: { id: 9, variable_id: 2, content: { value: "secret" } } } as VariableEntry;
    const state = readAgain(readyState(entries), [changed, entries[2] as VariableEntry, entry("NEW", 1)]);
    expect([...(state.recentChanges?.kinds ?? [])]).toEqual([
      ["NEW", "added"],
      ["URL", "changed"],
    ]);
    expect(state.notice?.text).toBe("added: NEW; changed: URL; removed: PORT");
    expect(state.list.rows).toHaveLength(3);
  });

  test("a later read marks own edits and keeps their notice", () => {
    const text = "changed URL; u undoes it";
    const edit = { changes: [{ name: "URL", before: undefined, after: undefined }] };
    const history = { done: [{ place: 0, purpose: "edit" as const, edit }], undone: [] };
    const before = { ...readyState(entries), history, notice: { text, tone: "success", until: NOW + 9_000 } } as const;
    const mine = readAgain(
      before,
      [entries[0], entry("URL", "b"), entries[2]].filter((each) => each !== undefined),
    );
    expect([...(mine.recentChanges?.kinds ?? [])]).toEqual([["URL", "changed"]]);
    expect(mine.notice?.text).toBe(text);
    const others = readAgain(before, entries.slice(0, 2));
    expect(others.notice?.text).toBe("removed: DEBUG");
  });

  test("a later read without changes only updates its time", () => {
    const before = readyState(entries);
    const state = readAgain(before, before.loaded.entries);
    expect(state.list).toBe(before.list);
    expect(state.loaded.asOf).toBe(NOW + 5_000);
    expect(state.recentChanges).toBeUndefined();
  });

  test("the cursor moves to the variable in place of a removed one", () => {
    const before = readyState(entries);
    const state = readAgain({ ...before, list: { ...before.list, cursor: 2 } }, entries.slice(0, 2));
    expect(state.list.cursor).toBe(1);
  });

  test("a data file is reloaded after a second", () => {
    expect(readyState(entries).loaded.nextAt).toBe(NOW + 1_000);
  });

  test.each([
    [3, 5_000],
    [201, 50_250],
  ])("after %i requests a server is reloaded at four requests a second at most", (requests, delay) => {
    const state = loaded(loadingState(), { entries, asOf: NOW, problem: undefined, requests, now: NOW });
    expect(state.loaded.nextAt).toBe(NOW + delay);
  });

  test.each([
    [true, 3, 60_000],
    [false, 3, 60_000],
    [false, 400, 100_000],
  ])(
    "(isEditable: %s, requests: %i) comes after the interval that was set, or later for many requests",
    (isEditable, requests, delay) => {
      const state = loadingState({ loaded: { isEditable }, preferences: { pollMs: 60_000 } });
      const next = loaded(state, { entries, asOf: NOW, problem: undefined, requests, now: NOW });
      expect(next.loaded.nextAt).toBe(NOW + delay);
    },
  );
});

describe("when it is due", () => {
  test("nothing is read before it is due", () => {
    const state = { ...readyState(entries), now: NOW + 999 };
    expect(loadWhenDue(state)).toEqual([state, []]);
  });

  test("a due read happens once", () => {
    const [state, work] = loadWhenDue({ ...readyState(entries), now: NOW + 1_000 });
    expect(work).toHaveLength(1);
    expect(loadWhenDue(state)[1]).toEqual([]);
  });
});

describe("a failure", () => {
  const unreachable = { code: "unreachable", message: "connection refused" };

  test("a failure is retried after increasing delays of 30 seconds at most", () => {
    const waits: number[] = [];
    let state = loadingState();
    for (let count = 0; count < 7; count++) {
      state = failed(state, unreachable, NOW);
      waits.push((state.loaded.nextAt ?? 0) - NOW);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(isReading(state.loaded)).toBe(false);
  });

  test("a rate limit error is retried when the server said", () => {
    const state = failed(loadingState(), { code: "rate_limited", message: "limit", retryAfter: 12 }, NOW);
    expect(state.loaded.nextAt).toBe(NOW + 12_000);
  });

  test("a rate limit error sets the remaining requests to 0", () => {
    const { loaded: before, ...rest } = loadingState();
    const state = { ...rest, loaded: { ...before, rateLimit: { limit: 6, remaining: 3, reset: 9 } } };
    expect(failed(state, { code: "rate_limited", message: "limit" }, NOW).loaded.rateLimit?.remaining).toBe(0);
    expect(failed(state, unreachable, NOW).loaded.rateLimit?.remaining).toBe(3);
  });

  test.each(["unauthorized", "usage", "not_found"])("a failure with code %s is not retried automatically", (code) => {
    const state = loadingState({ places: PLACES.map((place) => ({ ...place, kind: "profile" })) });
    expect(failed(state, { code, message: "no" }, NOW).loaded.nextAt).toBeUndefined();
  });

  test("an environment of local data that is gone is looked for with each look for changes", () => {
    let state = readyState(entries);
    for (const _ of "123") {
      state = failed(state, { code: "not_found", message: "there is no environment shop/test" }, NOW);
      expect(state.loaded.nextAt).toBe(NOW + 1_000);
    }
    expect(readAgain(state, entries).loaded.failure).toBeUndefined();
  });

  test("a failure keeps the variables until the next success", () => {
    const state = failed(readyState(entries), unreachable, NOW + 1_000);
    expect(state.loaded).toMatchObject({ isComplete: true, entries, failure: unreachable, asOf: NOW });
    expect(readAgain(state, entries).loaded).toMatchObject({ failure: undefined, failures: 0 });
  });
});

describe("reading again at once", () => {
  test("a reload has a number of its own", () => {
    const [state, work] = reload(readyState(entries));
    expect(state.loaded).toMatchObject({ generation: 2, entries, isComplete: true });
    expect(work).toHaveLength(1);
  });
});

describe("opening another place", () => {
  test("opening another place resets the state and reads it", () => {
    const before = readyState(entries);
    const [state, work] = openPlace(
      { ...before, revealed: { names: "all", decrypted: new Map(), until: NOW + 1 }, recordTop: 5 },
      1,
    );
    expect(state).toMatchObject({ place: 1, placeCursor: 1, revealed: undefined, recordTop: 0 });
    expect(state.loaded).toMatchObject({ isComplete: false, entries: [], isEditable: false });
    expect(state.list.rows).toEqual([]);
    expect(work).toHaveLength(1);
  });
});
