import { describe, expect, it, vi } from "vitest";
import type { AnswerStore } from "../../src/cache/answer-folder.js";
import { CachedSource } from "../../src/cache/cached-source.js";
import type { KeptAnswer } from "../../src/cache/sealed-answer.js";
import {
  NotFoundError,
  RateLimitedError,
  ServerError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
} from "../../src/domain/errors.js";
import type { VariableSource } from "../../src/domain/source.js";
import { Service } from "../../src/service/service.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import { DATA } from "../support/data.js";

const DOWN = new UnreachableError("can't reach it");
const START = 1_700_000_000_000;

/** A cached source with a clock that only moves when it is told to, over a source that fails as it is told to. */
function world({ maxAge = 60 } = {}) {
  const state = { now: START, error: undefined as Error | undefined };
  const kept = new Map<string, KeptAnswer>();
  const answers: AnswerStore = {
    read: async (request) => kept.get(request.join()),
    write: async (request, answer) => void kept.set(request.join(), answer),
    remove: async (request) => void kept.delete(request.join()),
    clear: async () => kept.clear(),
  };
  const asked: string[] = [];
  const patient = sourceOf("patient", state, asked);
  const brisk = sourceOf("brisk", state, asked);
  const onServed = vi.fn<(reason: Error, age: number) => void>();
  const onFailure = vi.fn<(error: unknown) => void>();
  const clock = () => state.now;
  const source = new CachedSource({ patient, brisk, answers, maxAge, clock, onServed, onFailure });
  return { state, kept, answers, asked, source, onServed, onFailure };
}

function sourceOf(name: string, state: { error: Error | undefined }, asked: string[]): VariableSource {
  const service = new Service(createMemoryStore(DATA), () => START);
  const real = service.source(service.findEnvironment("shop/development"));
  return new Proxy(real, {
    get: (target, method: keyof VariableSource) => {
      const call = (...args: never[]) => {
        asked.push(name);
        if (state.error) return Promise.reject(state.error);
        return (target[method] as (...args: never[]) => Promise<unknown>)(...args);
      };
      return call;
    },
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
  ] as const)("answers %s(%j) again when the source can't be reached any more", async (method, args) => {
    const { source, state } = world();
    const ask = source[method].bind(source) as (...args: readonly unknown[]) => Promise<unknown>;
    const answer = await ask(...args);
    state.error = DOWN;
    expect(await ask(...args)).toEqual(answer);
  });

  it("keeps nothing apart that is the same request", async () => {
    const { source, kept } = world();
    await source.listVariables();
    await source.listVariables({ limit: 50, offset: 0 });
    expect(kept.size).toBe(1);
  });

  it("gives the new answer whenever there is one", async () => {
    const { source, kept, onServed } = world();
    kept.set("getContentByName,PORT", { answer: { value: 1 }, savedAt: START });
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(onServed).not.toHaveBeenCalled();
  });

  it("serves what is just as old as it may be, and nothing older", async () => {
    const { source, state } = world({ maxAge: 60 });
    await source.getContentByName("PORT");
    state.error = DOWN;
    state.now += 60_000;
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    state.now += 1;
    await expect(source.getContentByName("PORT")).rejects.toBe(DOWN);
  });

  it("does not serve what is from the future", async () => {
    const { source, state, asked } = world();
    await source.getContentByName("PORT");
    state.error = DOWN;
    state.now -= 1;
    await expect(source.getContentByName("PORT")).rejects.toBe(DOWN);
    expect(asked).toEqual(["patient", "patient"]);
  });

  it.each([502, 503, 504])("serves what it has when a proxy has lost the server: status %i", async (status) => {
    const { source, state } = world();
    await source.getContentByName("PORT");
    state.error = new ServerError("the server failed", status);
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
  });

  it.each([
    ["500", new ServerError("failed", 500)],
    ["nonsense", new ServerError("does not speak the API", 200)],
    ["no HTTP", new ServerError("does not answer with HTTP", 0)],
    ["429", new RateLimitedError("limited", 9)],
    ["400", new UsageError("limit")],
    ["a bug", new TypeError("bug")],
  ])("is no way around %s, and keeps what it has", async (_what, error) => {
    const { source, state, kept } = world();
    await source.getContentByName("PORT");
    state.error = error;
    await expect(source.getContentByName("PORT")).rejects.toBe(error);
    expect(kept.size).toBe(1);
  });

  it("forgets the one answer that is not found any more", async () => {
    const { source, state, kept } = world();
    await Promise.all([source.getContentByName("PORT"), source.getContentByName("DEBUG")]);
    state.error = new NotFoundError();
    await expect(source.getContentByName("PORT")).rejects.toBe(state.error);
    expect([...kept.keys()]).toEqual(["getContentByName,DEBUG"]);
  });

  it("forgets everything when the credentials are refused", async () => {
    const { source, state, kept } = world();
    await Promise.all([source.getContentByName("PORT"), source.listValues()]);
    state.error = new UnauthorizedError("refused");
    await expect(source.getContentByName("PORT")).rejects.toBe(state.error);
    expect(kept.size).toBe(0);
  });

  it("never keeps health", async () => {
    const { source, state, kept } = world();
    await source.getHealth();
    expect(kept.size).toBe(0);
    state.error = DOWN;
    await expect(source.getHealth()).rejects.toBe(DOWN);
  });
});

describe("how long it tries", () => {
  it("is up to the patient source where nothing is kept, and the brisk one where something is", async () => {
    const { source, asked } = world();
    await source.getContentByName("PORT");
    await source.getContentByName("PORT");
    expect(asked).toEqual(["patient", "brisk"]);
  });

  it("is not at all for the next moments once it was down, and then once again", async () => {
    const { source, state, asked } = world();
    await Promise.all([source.getContentByName("PORT"), source.getContentByName("DEBUG")]);
    state.error = DOWN;
    asked.length = 0;
    await source.getContentByName("PORT");
    state.now += 4_999;
    await source.getContentByName("DEBUG");
    expect(asked).toEqual(["brisk"]);
    state.now += 1;
    await source.getContentByName("DEBUG");
    expect(asked).toEqual(["brisk", "brisk"]);
  });
});

describe("what is told", () => {
  it("is one thing for requests under way together: the age of the oldest answer", async () => {
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

  it("is told again when it is down again", async () => {
    const { source, state, onServed } = world();
    await source.getContentByName("PORT");
    for (const error of [DOWN, undefined, DOWN]) {
      state.error = error;
      state.now += 5_000;
      await source.getContentByName("PORT");
    }
    expect(onServed).toHaveBeenCalledTimes(2);
  });

  it("is told once when answers can't be kept, and they are given all the same", async () => {
    const { source, answers, onFailure } = world();
    const full = Object.assign(new Error(), { code: "ENOSPC" });
    answers.write = () => Promise.reject(full);
    expect(await source.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(await source.getContentByName("DEBUG")).toEqual({ value: true });
    expect(onFailure.mock.calls).toEqual([[full]]);
  });
});
