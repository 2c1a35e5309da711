import { describe, expect, it, vi } from "vitest";
import { type AnswerStore, CachedSource, type KeptAnswer } from "../../src/cache/cached-source.js";
import {
  NotFoundError,
  RateLimitedError,
  ServerError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
  WrongClockError,
} from "../../src/domain/errors.js";
import type { Snapshot, VariableSource } from "../../src/domain/source.js";
import { Service } from "../../src/service/service.js";
import type { Store } from "../../src/store/store.js";
import { changingStore } from "../support/changing-store.js";
import { DATA, edited } from "../support/data.js";

const DOWN = new UnreachableError("can't reach it");
const START = 1_700_000_000_000;

/** The key of a kept answer. */
const contentOf = (name: string) => JSON.stringify({ kind: "content", name });

interface State {
  now: number;
  ticks: number;
  /** What requests fail with. */
  error: Error | undefined;
  /** So many succeed before. */
  left: number;
}

/** A cached source with a clock that only moves when it is told to, over a source that fails as it is told to. */
function world({ maxAge = 60 } = {}) {
  const state: State = { now: START, ticks: 0, error: undefined, left: 0 };
  const store = changingStore(DATA);
  const kept = new Map<string, KeptAnswer>();
  const answers: AnswerStore = {
    read: async (request) => kept.get(JSON.stringify(request)),
    write: async (request, answer) => void kept.set(JSON.stringify(request), answer),
    remove: async (request) => void kept.delete(JSON.stringify(request)),
    clear: async () => kept.clear(),
  };
  const asked: string[] = [];
  const retrying = sourceOf("retrying", store, state, asked);
  const singleTry = sourceOf("singleTry", store, state, asked);
  const onServed = vi.fn<(reason: Error, age: number) => void>();
  const onFailure = vi.fn<(error: unknown) => void>();
  const clock = () => state.now;
  const ticks = () => state.ticks;
  const source = new CachedSource({ retrying, singleTry, answers, maxAge, clock, ticks, onServed, onFailure });
  return { state, store, kept, answers, asked, source, onServed, onFailure };
}

function sourceOf(name: string, store: Store, state: State, asked: string[]): VariableSource {
  const service = new Service(store, () => START);
  const real = service.source(service.findEnvironment("shop/development"));
  const failing = <T extends object>(target: T) =>
    new Proxy(target, {
      get: (_, method) => {
        const own: unknown = Reflect.get(target, method, target);
        if (typeof own !== "function") return own;
        return (...args: unknown[]) => {
          if (state.left-- <= 0 && state.error) return Promise.reject(state.error);
          return own.apply(target, args);
        };
      },
    });
  const readSnapshot = <T>(read: (snapshot: Snapshot) => Promise<T>) => {
    asked.push(name);
    return real.readSnapshot((snapshot) => read(failing(snapshot)));
  };
  return new Proxy(failing(real), {
    get: (target, method) => (method === "readSnapshot" ? readSnapshot : Reflect.get(target, method)),
  });
}

describe("a source with a cache", () => {
  it.each([
    ["getContentByName", ["PORT"]],
    ["getValueByName", ["FLAGS"]],
    ["getVariable", [1]],
    ["getValue", [12]],
    ["listVariables", [{ limit: 2, offset: 1 }]],
    ["listValues", []],
  ] as const)(
    "a source with a cache answers %s(%j) again when the source can't be reached any more",
    async (method, args) => {
      const { source, state } = world();
      const ask = source[method].bind(source) as (...args: readonly unknown[]) => Promise<unknown>;
      const answer = await ask(...args);
      state.error = DOWN;
      expect(await ask(...args)).toEqual(answer);
    },
  );

  it("a source with a cache treats equal requests as one", async () => {
    const { source, kept } = world();
    await source.listVariables();
    await source.listVariables({ limit: 50, offset: 0 });
    expect(kept.size).toBe(1);
  });

  it("a source with a cache returns the fresh answer whenever there is one", async () => {
    const { source, kept, onServed } = world();
    kept.set(contentOf("PORT"), { answer: { value: 1 }, savedAt: START });
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(onServed).not.toHaveBeenCalled();
  });

  it("a source with a cache uses kept answers up to the maximum age, and none older", async () => {
    const { source, state } = world({ maxAge: 60 });
    await source.getContentByName("PORT");
    state.error = DOWN;
    state.now += 60_000;
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    state.now += 1;
    await expect(source.getContentByName("PORT")).rejects.toBe(DOWN);
  });

  it("a source with a cache does not use answers from the future", async () => {
    const { source, state, asked } = world();
    await source.getContentByName("PORT");
    state.error = DOWN;
    state.now -= 1;
    await expect(source.getContentByName("PORT")).rejects.toBe(DOWN);
    expect(asked).toEqual(["retrying", "retrying"]);
  });

  it.each([408, 502, 503, 504])(
    "a source with a cache uses kept answers when a proxy can't reach the server: status %i",
    async (status) => {
      const { source, state } = world();
      await source.getContentByName("PORT");
      state.error = new ServerError("the server failed", status);
      expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    },
  );

  it.each([
    ["500", new ServerError("failed", 500)],
    ["nonsense", new ServerError("does not speak the API", 200)],
    ["no HTTP", new ServerError("does not answer with HTTP", 0)],
    ["429", new RateLimitedError("limited", 9)],
    ["400", new UsageError("limit")],
    ["a bug", new TypeError("bug")],
  ])("a source with a cache does not hide %s, and keeps its answers", async (_what, error) => {
    const { source, state, kept } = world();
    await source.getContentByName("PORT");
    state.error = error;
    await expect(source.getContentByName("PORT")).rejects.toBe(error);
    expect(kept.size).toBe(1);
  });

  it("a source with a cache forgets an answer that is no longer found", async () => {
    const { source, state, kept } = world();
    await Promise.all([source.getContentByName("PORT"), source.getContentByName("DEBUG")]);
    state.error = new NotFoundError();
    await expect(source.getContentByName("PORT")).rejects.toBe(state.error);
    expect([...kept.keys()]).toEqual([contentOf("DEBUG")]);
  });

  it("a source with a cache forgets everything when the credentials are rejected", async () => {
    const { source, state, kept } = world();
    await Promise.all([source.getContentByName("PORT"), source.listValues()]);
    state.error = new UnauthorizedError("refused");
    await expect(source.getContentByName("PORT")).rejects.toBe(state.error);
    expect(kept.size).toBe(0);
  });

  it("a source with a cache keeps and uses its answers when a clock is wrong, as when the source can't be reached", async () => {
    const { source, state, kept, onServed } = world();
    await source.getContentByName("PORT");
    const wrong = new WrongClockError("the server refused the signature");
    state.error = wrong;
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(onServed.mock.calls).toEqual([[wrong, 0]]);
    await expect(source.getContentByName("DEBUG")).rejects.toBe(wrong);
    expect([...kept.keys()]).toEqual([contentOf("PORT")]);
  });

  it("a source with a cache never keeps health", async () => {
    const { source, state, kept } = world();
    await source.getHealth();
    expect(kept.size).toBe(0);
    state.error = DOWN;
    await expect(source.getHealth()).rejects.toBe(DOWN);
  });
});

describe("a read of several answers", () => {
  const NEXT = edited((data) => {
    data.values[0].content.value = 4000;
    data.values[2].content.value = false;
  });
  const readPair = (snapshot: Snapshot) =>
    Promise.all(["PORT", "DEBUG"].map(async (name) => (await snapshot.getContentByName(name)).value));
  const MIXED = "the answers kept by --cache are of different versions of the data, and are not used together";

  it("a read of several answers uses only kept answers when the server goes down in the middle", async () => {
    const { source, state, store, kept, onServed } = world();
    expect(await source.readSnapshot(readPair)).toEqual([3000, true]);
    store.replace(NEXT);
    Object.assign(state, { error: DOWN, left: 1, now: START + 1_000 });
    expect(await source.readSnapshot(readPair)).toEqual([3000, true]);
    expect(onServed.mock.calls).toEqual([[DOWN, 1_000]]);
    // What came before it went down is not kept among them.
    expect([...kept.values()].map(({ savedAt }) => savedAt)).toEqual([START, START]);
  });

  it("a read of several answers keeps the revision and the same time with each answer", async () => {
    const { source, store, kept } = world();
    await source.readSnapshot(readPair);
    const [port, debug] = kept.values();
    expect(port).toEqual({ answer: { value: 3000 }, savedAt: START, revision: expect.any(String) });
    expect(debug?.revision).toBe(port?.revision);
    store.replace(NEXT);
    await source.getContentByName("PORT");
    expect(kept.get(contentOf("PORT"))?.revision).not.toBe(port?.revision);
  });

  it("a read of several answers fails with the outage and the reason when the kept answers are of different versions", async () => {
    const { source, state, store, asked } = world();
    await source.readSnapshot(readPair);
    store.replace(NEXT);
    await source.getContentByName("PORT");
    Object.assign(state, { error: DOWN, left: 0 });
    const failure = source.readSnapshot(readPair);
    await expect(failure).rejects.toThrow(new UnreachableError(`can't reach it; ${MIXED}`));
    expect(asked.at(-1)).toBe("retrying");
    // One answer is of one version.
    expect(await source.getContentByName("PORT")).toEqual({ value: 4000 });
  });

  it("a read of several answers uses answers kept at different times while the data stayed the same", async () => {
    const { source, state } = world();
    await source.getContentByName("PORT");
    state.now += 5_000;
    await source.getContentByName("DEBUG");
    state.error = DOWN;
    expect(await source.readSnapshot(readPair)).toEqual([3000, true]);
  });

  it.each([
    ["of one read", START - 2_000, [1, 2]],
    ["of two reads", START - 1_000, undefined],
  ])("a read of several answers that have no revision uses those %s", async (_which, savedAt, expected) => {
    const { source, state, kept } = world();
    kept.set(contentOf("PORT"), { answer: { value: 1 }, savedAt: START - 2_000 });
    kept.set(contentOf("DEBUG"), { answer: { value: 2 }, savedAt });
    state.error = DOWN;
    const read = source.readSnapshot(readPair);
    if (expected) expect(await read).toEqual(expected);
    else await expect(read).rejects.toThrow(MIXED);
  });

  it("a read of several answers fails when a kept answer is missing", async () => {
    const { source, state } = world();
    await source.getContentByName("PORT");
    state.error = DOWN;
    await expect(source.readSnapshot(readPair)).rejects.toBe(DOWN);
  });
});

describe("the tries of a source with a cache", () => {
  it("the tries of a source with a cache use the retrying source when nothing is kept, and the single-try source when something is", async () => {
    const { source, asked } = world();
    await source.getContentByName("PORT");
    await source.getContentByName("PORT");
    expect(asked).toEqual(["retrying", "singleTry"]);
  });

  it("the tries of a source with a cache pause after an outage, and then try once again", async () => {
    const { source, state, asked } = world();
    await Promise.all([source.getContentByName("PORT"), source.getContentByName("DEBUG")]);
    state.error = DOWN;
    asked.length = 0;
    await source.getContentByName("PORT");
    state.ticks += 4_999;
    // The clock is set ahead, which is no reason to try again sooner.
    state.now += 30_000;
    await source.getContentByName("DEBUG");
    expect(asked).toEqual(["singleTry"]);
    state.ticks += 1;
    state.now -= 20_000;
    await source.getContentByName("DEBUG");
    expect(asked).toEqual(["singleTry", "singleTry"]);
  });
});

describe("the notice of a source with a cache", () => {
  it("the notice of a source with a cache is one for concurrent requests, with the age of the oldest answer", async () => {
    const { source, state, onServed } = world();
    await source.getContentByName("PORT");
    state.now += 10_000;
    await source.getContentByName("DEBUG");
    state.now += 5_000;
    state.error = DOWN;
    await Promise.all([source.getContentByName("DEBUG"), source.getContentByName("PORT")]);
    await source.getContentByName("DEBUG");
    expect(onServed.mock.calls).toEqual([[DOWN, 15_000]]);
  });

  it("the notice of a source with a cache is repeated for the next outage", async () => {
    const { source, state, onServed } = world();
    await source.getContentByName("PORT");
    for (const error of [DOWN, undefined, DOWN]) {
      state.error = error;
      state.ticks += 5_000;
      await source.getContentByName("PORT");
    }
    expect(onServed).toHaveBeenCalledTimes(2);
  });

  it("the notice of a source with a cache appears once when answers can't be kept, and reads still succeed", async () => {
    const { source, answers, onFailure } = world();
    const full = Object.assign(new Error(), { code: "ENOSPC" });
    answers.write = () => Promise.reject(full);
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(await source.getContentByName("DEBUG")).toEqual({ value: true });
    expect(onFailure.mock.calls).toEqual([[full]]);
  });
});
