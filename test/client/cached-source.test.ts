import { describe, expect, it, vi } from "vitest";
import { CachedSource } from "../../src/client/cached-source.js";
import {
  NotFoundError,
  ServerError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
} from "../../src/kit/text/errors.js";
import { RateLimitedError, WrongClockError } from "../../src/model/errors.js";
import type { Snapshot, VariableSource } from "../../src/model/reads/read.js";
import { Service } from "../../src/service/service.js";
import type { Store } from "../../src/store/store.js";
import { changingStore } from "../support/changing-store.js";
import { DATA, edited } from "../support/data.js";

const DOWN = new UnreachableError("can't reach it");
const START = 1_700_000_000_000;

interface State {
  now: number;
  /** The error of failing requests. */
  error: Error | undefined;
  /** So many succeed before. */
  left: number;
  isWithoutRevision?: boolean;
}

/** A cached source with a manual clock, over a source that fails on request. */
function world({ maxAge = 60 } = {}) {
  const state: State = { now: START, error: undefined, left: 0 };
  const store = changingStore(DATA);
  let bytes: Buffer | undefined;
  const file = {
    read: async () => bytes && { bytes, savedAt: 0 },
    write: async (next: Uint8Array) => {
      bytes = Buffer.from(next);
    },
    remove: async () => {
      bytes = undefined;
    },
  };
  /** The names of the kept contents, and the other reads. */
  const kept = () => {
    const answers: [string, unknown][] = bytes ? JSON.parse(bytes.toString()).answers : [];
    return answers.map(([read]) => JSON.parse(read).name ?? read);
  };
  const asked: string[] = [];
  const onServed = vi.fn<(reason: Error, age: number) => void>();
  const onFailure = vi.fn<(error: unknown) => void>();
  /** As another process would open it. */
  const open = () =>
    new CachedSource({
      retrying: sourceOf("retrying", store, state, asked),
      singleTry: sourceOf("singleTry", store, state, asked),
      file,
      maxAge,
      clock: () => state.now,
      onServed,
      onFailure,
    });
  return { state, store, kept, file, asked, source: open(), open, onServed, onFailure };
}

function sourceOf(name: string, store: Store, state: State, asked: string[]): VariableSource {
  const service = new Service(store, () => START);
  const real = service.source(service.findEnvironment("shop/development"));
  const failing = <T extends object>(target: T) =>
    new Proxy(target, {
      get: (_, method) => {
        const own: unknown = Reflect.get(target, method, target);
        if (typeof own !== "function") return state.isWithoutRevision ? undefined : own;
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
    get: (target, method) =>
      method === "readSnapshot" ? readSnapshot : Reflect.get(target, method),
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
    "answers %s(%j) again when the source can't be reached any more",
    async (method, args) => {
      const { source, open, state } = world();
      const ask = (from: VariableSource) =>
        (from[method].bind(from) as (...args: readonly unknown[]) => Promise<unknown>)(...args);
      const answer = await ask(source);
      state.error = DOWN;
      for (const from of [source, open()]) expect(await ask(from)).toEqual(answer);
    },
  );

  it("treats equal requests as one", async () => {
    const { source, kept } = world();
    await source.listVariables();
    await source.listVariables({ limit: 50, offset: 0 });
    expect(kept()).toHaveLength(1);
  });

  it("returns the fresh answer whenever there is one", async () => {
    const { source, store, onServed } = world();
    await source.getContentByName("PORT");
    store.replace(edited((data) => Object.assign(data.values[0].content, { value: 4000 })));
    expect(await source.getContentByName("PORT")).toEqual({ value: 4000 });
    expect(onServed).not.toHaveBeenCalled();
  });

  it("uses kept answers up to the maximum age, and none older", async () => {
    const { source, state } = world({ maxAge: 60 });
    await source.getContentByName("PORT");
    state.error = DOWN;
    state.now += 60_000;
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    state.now += 1;
    await expect(source.getContentByName("PORT")).rejects.toBe(DOWN);
  });

  it("does not use answers from the future", async () => {
    const { source, state, asked } = world();
    await source.getContentByName("PORT");
    state.error = DOWN;
    state.now -= 1;
    await expect(source.getContentByName("PORT")).rejects.toBe(DOWN);
    expect(asked).toEqual(["retrying", "retrying"]);
  });

  it.each([408, 502, 503, 504])(
    "uses kept answers when a proxy can't reach the server: status %i",
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
  ])("does not hide %s, and keeps its answers", async (_what, error) => {
    const { source, state, kept } = world();
    await source.getContentByName("PORT");
    state.error = error;
    await expect(source.getContentByName("PORT")).rejects.toBe(error);
    expect(kept()).toHaveLength(1);
  });

  it("forgets an answer that is no longer found", async () => {
    const { source, state, kept } = world();
    await Promise.all([source.getContentByName("PORT"), source.getContentByName("DEBUG")]);
    state.error = new NotFoundError();
    await expect(source.getContentByName("PORT")).rejects.toBe(state.error);
    expect(kept()).toEqual(["DEBUG"]);
  });

  it("forgets everything when the credentials are rejected", async () => {
    const { source, state, kept } = world();
    await Promise.all([source.getContentByName("PORT"), source.listValues()]);
    state.error = new UnauthorizedError("refused");
    await expect(source.getContentByName("PORT")).rejects.toBe(state.error);
    expect(kept()).toEqual([]);
  });

  it("keeps and uses its answers when a clock is wrong, as when the source can't be reached", async () => {
    const { source, state, kept, onServed } = world();
    await source.getContentByName("PORT");
    const wrong = new WrongClockError("the server refused the signature");
    state.error = wrong;
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(onServed.mock.calls).toEqual([[wrong, 0]]);
    await expect(source.getContentByName("DEBUG")).rejects.toBe(wrong);
    expect(kept()).toEqual(["PORT"]);
  });

  it("never keeps health", async () => {
    const { source, state, kept } = world();
    await source.getHealth();
    expect(kept()).toEqual([]);
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
    Promise.all(
      ["PORT", "DEBUG"].map(async (name) => (await snapshot.getContentByName(name)).value),
    );

  it("uses only kept answers when the server goes down in the middle", async () => {
    const { source, state, store, onServed } = world();
    expect(await source.readSnapshot(readPair)).toEqual([3000, true]);
    store.replace(NEXT);
    Object.assign(state, { error: DOWN, left: 1, now: START + 1_000 });
    // The first answer that came is not kept among them.
    for (let count = 0; count < 2; count++)
      expect(await source.readSnapshot(readPair)).toEqual([3000, true]);
    expect(onServed.mock.calls).toEqual([[DOWN, 1_000]]);
  });

  it("uses those kept at different times while the data stayed the same", async () => {
    const { source, state } = world();
    await source.getContentByName("PORT");
    state.now += 5_000;
    await source.getContentByName("DEBUG");
    state.error = DOWN;
    expect(await source.readSnapshot(readPair)).toEqual([3000, true]);
  });

  it("an answer of another version replaces those that were kept", async () => {
    const { source, state, store, asked, kept } = world();
    await source.readSnapshot(readPair);
    store.replace(NEXT);
    await source.getContentByName("PORT");
    expect(kept()).toEqual(["PORT"]);
    state.error = DOWN;
    await expect(source.readSnapshot(readPair)).rejects.toBe(DOWN);
    expect(asked.at(-1)).toBe("retrying");
    expect(await source.getContentByName("PORT")).toEqual({ value: 4000 });
  });

  it("answers without a revision are kept with those of the same read only", async () => {
    const { source, state, kept } = world();
    state.isWithoutRevision = true;
    await source.readSnapshot(readPair);
    expect(kept()).toEqual(["PORT", "DEBUG"]);
    await source.getContentByName("FLAGS");
    expect(kept()).toEqual(["FLAGS"]);
  });

  it("fails when a kept answer is missing", async () => {
    const { source, state } = world();
    await source.getContentByName("PORT");
    state.error = DOWN;
    await expect(source.readSnapshot(readPair)).rejects.toBe(DOWN);
  });
});

describe("the tries of a source with a cache", () => {
  it("use the retrying source when nothing is kept, and the single-try source when something is", async () => {
    const { source, asked } = world();
    await source.getContentByName("PORT");
    await source.getContentByName("PORT");
    expect(asked).toEqual(["retrying", "singleTry"]);
  });
});

describe("the notice of a source with a cache", () => {
  it("is one for each outage, with the time since the data was last the newest", async () => {
    const { source, state, onServed } = world();
    await source.getContentByName("PORT");
    state.now += 10_000;
    await source.getContentByName("DEBUG");
    state.now += 5_000;
    state.error = DOWN;
    await Promise.all([source.getContentByName("DEBUG"), source.getContentByName("PORT")]);
    await source.getContentByName("DEBUG");
    expect(onServed.mock.calls).toEqual([[DOWN, 5_000]]);
  });

  it("is repeated for the next outage", async () => {
    const { source, state, onServed } = world();
    await source.getContentByName("PORT");
    for (const error of [DOWN, undefined, DOWN]) {
      state.error = error;
      await source.getContentByName("PORT");
    }
    expect(onServed).toHaveBeenCalledTimes(2);
  });

  it("appears once when answers can't be kept, and reads still succeed", async () => {
    const { source, file, onFailure } = world();
    const full = Object.assign(new Error(), { code: "ENOSPC" });
    file.write = () => Promise.reject(full);
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(await source.getContentByName("DEBUG")).toEqual({ value: true });
    expect(onFailure.mock.calls).toEqual([[full]]);
  });
});
