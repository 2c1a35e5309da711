import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/tui/ports.js";
import { failed, loaded, loadWhenDue, openPlace, progressed, reload } from "../../../src/tui/state/loading.js";
import type { State } from "../../../src/tui/state/state.js";
import { entry, loadingState, NOW, readyState } from "../support/state.js";

const entries = [entry("PORT", 3000, "NUMBER"), entry("URL", "a"), entry("DEBUG", true, "BOOLEAN")];

function readAgain(state: State, next: readonly Entry[], requests = 3): State {
  return loaded(state, { entries: next, problem: undefined, requests, now: NOW + 5_000 });
}

describe("the first reading", () => {
  test("shows what has come so far, and how much there will be", () => {
    const state = progressed(loadingState(), entries.slice(0, 2), 3);
    expect(state.list.rows).toEqual([0, 1]);
    expect(state.loaded).toMatchObject({ phase: "loading", isComplete: false, total: 3 });
  });

  test("keeps the cursor on its variable when more come", () => {
    const some = progressed(loadingState(), entries.slice(1), 3);
    const state = progressed({ ...some, list: { ...some.list, cursor: 1 } }, entries, 3);
    expect(state.list.cursor).toBe(2);
  });

  test("marks nothing and tells of nothing", () => {
    const state = readyState(entries);
    expect(state.loaded).toMatchObject({ phase: "ready", isComplete: true, asOf: NOW, total: 3 });
    expect([state.marks, state.notice]).toEqual([undefined, undefined]);
  });
});

describe("a later reading", () => {
  test("marks what is another, and tells of it by name", () => {
    const changed = { ...entries[1], value: { id: 9, variable_id: 2, content: { value: "secret" } } } as Entry;
    const state = readAgain(readyState(entries), [changed, entries[2] as Entry, entry("NEW", 1)]);
    expect([...(state.marks?.kinds ?? [])]).toEqual([
      ["NEW", "added"],
      ["URL", "changed"],
    ]);
    expect(state.notice?.text).toBe("added: NEW; changed: URL; removed: PORT");
    expect(state.list.rows).toHaveLength(3);
  });

  test("marks what was just edited here, and leaves it at having told so", () => {
    const text = "changed URL; u undoes it";
    const before = { ...readyState(entries), notice: { text, tone: "success", until: NOW + 9_000 } } as const;
    const mine = readAgain(
      before,
      [entries[0], entry("URL", "b"), entries[2]].filter((each) => each !== undefined),
    );
    expect([...(mine.marks?.kinds ?? [])]).toEqual([["URL", "changed"]]);
    expect(mine.notice?.text).toBe(text);
    const others = readAgain(before, entries.slice(0, 2));
    expect(others.notice?.text).toBe("removed: DEBUG");
  });

  test("that finds the same leaves the list as it is, and is the newest", () => {
    const before = readyState(entries);
    const state = readAgain(before, before.loaded.entries);
    expect(state.list).toBe(before.list);
    expect(state.loaded.asOf).toBe(NOW + 5_000);
    expect(state.marks).toBeUndefined();
  });

  test("moves the cursor to what has come in the place of a variable that is gone", () => {
    const before = readyState(entries);
    const state = readAgain({ ...before, list: { ...before.list, cursor: 2 } }, entries.slice(0, 2));
    expect(state.list.cursor).toBe(1);
  });

  test("is due after a second for a data file", () => {
    expect(readyState(entries).loaded.nextAt).toBe(NOW + 1_000);
  });

  test.each([
    [3, 5_000],
    [201, 50_250],
  ])("is due so that %i requests to a server are no more than four a second", (requests, delay) => {
    const state = loaded(loadingState(), { entries, problem: undefined, requests, now: NOW });
    expect(state.loaded.nextAt).toBe(NOW + delay);
  });
});

describe("when it is due", () => {
  test("nothing happens before", () => {
    const state = { ...readyState(entries), now: NOW + 999 };
    expect(loadWhenDue(state)).toEqual([state, []]);
  });

  test("it is read once, with what is known", () => {
    const [state, effects] = loadWhenDue({ ...readyState(entries), now: NOW + 1_000 });
    expect(effects).toEqual([{ type: "load", place: 0, generation: 1, known: entries }]);
    expect(loadWhenDue(state)[1]).toEqual([]);
  });
});

describe("a failure", () => {
  const unreachable = { code: "unreachable", message: "connection refused" };

  test("is tried again after longer and longer, 30 seconds at most", () => {
    const waits: number[] = [];
    let state = loadingState();
    for (let count = 0; count < 7; count++) {
      state = failed(state, unreachable, NOW);
      waits.push((state.loaded.nextAt ?? 0) - NOW);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(state.loaded.phase).toBe("failed");
  });

  test("of the rate limit is tried again when the server said", () => {
    const state = failed(loadingState(), { code: "rate_limited", message: "limit", retryAfter: 12 }, NOW);
    expect(state.loaded.nextAt).toBe(NOW + 12_000);
  });

  test("of the rate limit leaves no requests", () => {
    const { loaded: before, ...rest } = loadingState();
    const state = { ...rest, loaded: { ...before, rateLimit: { limit: 6, remaining: 3, reset: 9 } } };
    expect(failed(state, { code: "rate_limited", message: "limit" }, NOW).loaded.rateLimit?.remaining).toBe(0);
    expect(failed(state, unreachable, NOW).loaded.rateLimit?.remaining).toBe(3);
  });

  test.each(["unauthorized", "usage", "not_found"])("%s waits for a person", (code) => {
    expect(failed(loadingState(), { code, message: "no" }, NOW).loaded.nextAt).toBeUndefined();
  });

  test("keeps the variables that were read before, and success ends it", () => {
    const state = failed(readyState(entries), unreachable, NOW + 1_000);
    expect(state.loaded).toMatchObject({ phase: "ready", entries, failure: unreachable, asOf: NOW });
    expect(readAgain(state, entries).loaded).toMatchObject({ failure: undefined, failures: 0 });
  });
});

describe("reading again at once", () => {
  test("drops what an earlier reading may still answer", () => {
    const [state, [effect]] = reload(readyState(entries));
    expect(state.loaded).toMatchObject({ generation: 2, entries, phase: "ready" });
    expect(effect).toMatchObject({ type: "load", generation: 2, known: entries });
  });
});

test("the edits of a place can be undone after another was open", () => {
  const undo = [{ name: "PORT", before: undefined, after: undefined }];
  const [other] = openPlace(readyState(entries, { undo }), 1);
  expect(other.undo).toEqual([]);
  expect(openPlace(other, 0)[0].undo).toEqual(undo);
});

describe("opening another place", () => {
  test("forgets everything of the one before, and reads", () => {
    const before = readyState(entries, { undo: [{ name: "PORT", before: undefined, after: undefined }] });
    const [state, effects] = openPlace(
      { ...before, revealed: { names: "all", decrypted: new Map(), until: NOW + 1 }, recordTop: 5 },
      1,
    );
    expect(state).toMatchObject({ place: 1, placeCursor: 1, undo: [], revealed: undefined, recordTop: 0 });
    expect(state.loaded).toMatchObject({ phase: "loading", entries: [], isEditable: false });
    expect(state.list.rows).toEqual([]);
    expect(effects).toEqual([{ type: "load", place: 1, generation: 2, known: [] }]);
  });
});
