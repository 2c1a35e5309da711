import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StoreProblem } from "../../src/server/circuit-breaker.js";
import { createRateLimiter, type RateLimitResult } from "../../src/server/rate-limiter.js";
import { createSharedLimiter } from "../../src/server/shared-limiter.js";
import { FakeCounterStore, type StoreState } from "../support/counter-store.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMIT = 5;
const WINDOW = 60;
const KEY = { kind: "key", id: "shop-test" } as const;
const ADDRESS = { kind: "address", id: "192.0.2.7" } as const;

/** A limiter over a store, and one in memory while that fails. */
async function sharedLimiter({
  store = new FakeCounterStore(WINDOW),
  state = "up" as StoreState,
} = {}) {
  store.state = state;
  const changes: string[] = [];
  const ticks = () => performance.now();
  const onChange = (problem: StoreProblem | undefined) =>
    void changes.push(problem?.what ?? "works");
  const fallback = createRateLimiter({ limit: LIMIT, window: WINDOW }, ticks);
  const limiter = createSharedLimiter(
    { limit: LIMIT, window: WINDOW, store, fallback, onChange },
    ticks,
  );
  // So long does it take to find out that it is hung.
  await vi.advanceTimersByTimeAsync(200);
  return { store, limiter, changes };
}

/** The remaining requests, or "refused". */
function outcome({ rateLimit, retryAfter }: RateLimitResult): number | string | undefined {
  return retryAfter === undefined ? rateLimit?.remaining : "refused";
}

describe("while the store works", () => {
  it("two servers admit the limit together, and tell the same headers as one", async () => {
    const store = new FakeCounterStore(WINDOW);
    const { limiter: one } = await sharedLimiter({ store });
    const { limiter: other } = await sharedLimiter({ store });
    const results = [];
    for (let index = 0; index < LIMIT; index++)
      results.push(await [one, other][index % 2]?.count(KEY));
    expect(results.map((result) => result && outcome(result))).toEqual([4, 3, 2, 1, 0]);
    await vi.advanceTimersByTimeAsync(20_500);
    const refused = { rateLimit: { limit: LIMIT, remaining: 0, reset: 40 }, retryAfter: 40 };
    expect([await one.count(KEY), await other.count(KEY)]).toEqual([refused, refused]);
    await vi.advanceTimersByTimeAsync(39_500);
    expect(await one.count(KEY)).toEqual({ rateLimit: { limit: LIMIT, remaining: 4, reset: 60 } });
  });

  it("the keys in the store are of one length, and hold no API key as it is", async () => {
    const { store, limiter } = await sharedLimiter();
    for (const counter of [KEY, ADDRESS, { ...ADDRESS, kind: "health" } as const])
      await limiter.count(counter);
    const hash = expect.stringMatching(/^\w+:[0-9a-f]{32}$/);
    expect(store.asked).toEqual([hash, hash, hash]);
    expect(new Set(store.asked).size).toBe(3);
  });

  it("isUsedUp() includes the count of another server for an address that has sent requests here", async () => {
    const store = new FakeCounterStore(WINDOW);
    const { limiter: one } = await sharedLimiter({ store });
    const { limiter: other } = await sharedLimiter({ store });
    await one.count(ADDRESS);
    expect(await one.isUsedUp(ADDRESS)).toBe(false);
    for (let index = 1; index < LIMIT; index++) await other.count(ADDRESS);
    expect(await one.isUsedUp(ADDRESS)).toBe(true);
  });

  it("isUsedUp() does not ask about an address that has not sent a request here", async () => {
    const { store, limiter } = await sharedLimiter();
    expect(await limiter.isUsedUp(ADDRESS)).toBe(false);
    expect(store.asked).toEqual([]);
  });
});

describe("when the store stops answering", () => {
  it("requests are counted here after 200 ms at the latest, and later ones at once", async () => {
    const { store, limiter, changes } = await sharedLimiter();
    await limiter.count(KEY);
    store.state = "hung";
    const first = limiter.count(KEY);
    await vi.advanceTimersByTimeAsync(150);
    const second = limiter.count(KEY);
    const third = limiter.isUsedUp(KEY);
    await vi.advanceTimersByTimeAsync(51);
    const nothingWaits = vi.advanceTimersByTimeAsync(0).then(() => "late");
    expect(await Promise.race([Promise.all([first, second, third]), nothingWaits])).toEqual([
      { rateLimit: { limit: LIMIT, remaining: 4, reset: 60 } },
      { rateLimit: { limit: LIMIT, remaining: 3, reset: 60 } },
      false,
    ]);
    expect(await limiter.count(KEY)).toEqual({
      rateLimit: { limit: LIMIT, remaining: 2, reset: 60 },
    });
    expect(await limiter.isUsedUp(KEY)).toBe(false);
    expect(limiter.isStoreUp).toBe(false);
    expect(changes).toEqual(["works", "has failed"]);
  });

  it("an answer that arrived while this process was busy still counts", async () => {
    const { limiter, changes } = await sharedLimiter();
    vi.useRealTimers();
    const answer = limiter.count(KEY);
    // Blocks this process for 250 ms.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    expect(outcome(await answer)).toBe(4);
    expect(changes).toEqual(["works"]);
    limiter.close();
  });

  it("that is found without a request, within 5 s", async () => {
    const { store, limiter } = await sharedLimiter();
    store.state = "hung";
    await vi.advanceTimersByTimeAsync(5_201);
    expect(outcome(await limiter.count(KEY))).toBe(4);
    expect(store.asked).toEqual([]);
  });
});

it.each<[string, StoreState]>([
  ["an error", "failing"],
  ["a count that is not a number", { count: Number.NaN, timeLeft: 1_000 }],
  ["a count that is a text", { count: "1" as unknown as number, timeLeft: 1_000 }],
  ["a count of nothing", { count: 0, timeLeft: 1_000 }],
  ["a count below zero", { count: -5, timeLeft: 1_000 }],
  ["a fraction of a request", { count: 1.5, timeLeft: 1_000 }],
  ["more requests than can be counted", { count: 2 ** 60, timeLeft: 1_000 }],
  ["a window without an end", { count: 1, timeLeft: -1 }],
  ["a time that is a text", { count: 1, timeLeft: "1000" as unknown as number }],
  ["a time that is not a number", { count: 1, timeLeft: Number.NaN }],
  ["a window of a year", { count: 1, timeLeft: 365 * 86_400_000 }],
])("a store that answers with %s is not asked any more", async (_what, state) => {
  const { store, limiter, changes } = await sharedLimiter();
  store.state = state;
  expect(outcome(await limiter.count(KEY))).toBe(4);
  expect(outcome(await limiter.count(KEY))).toBe(3);
  expect([store.asked.length, changes, store.open]).toEqual([1, ["works", "has failed"], 0]);
});

it("a window that is longer than it should be, after the store's clock was set back, ends in time here", async () => {
  const { store, limiter } = await sharedLimiter();
  store.state = { count: LIMIT + 1, timeLeft: WINDOW * 1_000 + 5_000 };
  const refused = { rateLimit: { limit: LIMIT, remaining: 0, reset: WINDOW }, retryAfter: WINDOW };
  expect(await limiter.count(KEY)).toEqual(refused);
});

describe("while the store fails", () => {
  it("it is checked in the background on new connections, in pauses that grow to 5 s", async () => {
    const { store, limiter, changes } = await sharedLimiter({ state: "failing" });
    const connects: number[] = [];
    for (let ms = 0; ms < 30_000; ms += 50) {
      const before = store.connects;
      await vi.advanceTimersByTimeAsync(50);
      limiter.count(KEY);
      if (store.connects > before) connects.push(ms);
    }
    const pauses = connects.map((time, index) => time - (connects[index - 1] ?? 0)).slice(1);
    expect(pauses.every((pause, index) => pause >= (pauses[index - 1] ?? 0))).toBe(true);
    expect([Math.max(...pauses), pauses.at(-1)]).toEqual([5_000, 5_000]);
    expect([store.asked, store.open, changes]).toEqual([[], 0, ["has failed"]]);
  });

  it("it is used again after a check has succeeded", async () => {
    const { store, limiter, changes } = await sharedLimiter({ state: "hung" });
    expect(outcome(await limiter.count(KEY))).toBe(4);
    store.state = "up";
    await vi.advanceTimersByTimeAsync(5_000);
    expect(limiter.isStoreUp).toBe(true);
    expect(outcome(await limiter.count(KEY))).toBe(4);
    expect([store.asked.length, changes]).toEqual([1, ["has failed", "works"]]);
  });

  it("a store that fails at each request, but not at a check, is asked less and less often", async () => {
    const { store, limiter, changes } = await sharedLimiter();
    for (let ms = 0; ms < 60_000; ms += 50) {
      if (limiter.isStoreUp) {
        store.state = "failing";
        await limiter.count(KEY);
        store.state = "up";
      }
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(changes.length).toBeLessThan(2 * 20);
  });
});

it("close() closes the connection, and leaves nothing that waits", async () => {
  const up = await sharedLimiter();
  const down = await sharedLimiter({ state: "failing" });
  const checking = await sharedLimiter();
  checking.store.state = "hung";
  await vi.advanceTimersByTimeAsync(4_850);
  for (const { limiter } of [up, down, checking]) limiter.close();
  await vi.advanceTimersByTimeAsync(300);
  expect(vi.getTimerCount()).toBe(0);
  expect([up, down, checking].map(({ store }) => store.open)).toEqual([0, 0, 0]);
  expect([up, down, checking].flatMap(({ changes }) => changes)).toEqual([
    "works",
    "has failed",
    "works",
  ]);
  expect(outcome(await up.limiter.count(KEY))).toBe(4);
});
