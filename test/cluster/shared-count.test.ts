import { expect, it } from "vitest";
import {
  type CountRequest,
  createSharedCount,
  createWorkerLimiter,
} from "../../src/cluster/shared-count.js";
import type { Counter, RateLimitResult } from "../../src/server/rate-limiter.js";
import { usedMemory } from "../support/used-memory.js";

const KEY: Counter = { kind: "key", id: "a" };
const address = (id: string): Counter => ({ kind: "address", id });

/**
 * A primary and workers. Messages arrive in a random order, the same in every run, when `deliver`
 * is called.
 */
function cluster({
  limit,
  workers = 2,
  maxAddresses = 10,
}: {
  limit: number;
  workers?: number;
  maxAddresses?: number;
}) {
  let now = 0;
  let state = 7;
  let sent = 0;
  const random = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const arriving: (() => void)[] = [];
  const post = (arrive: () => void) => {
    sent++;
    arriving.push(arrive);
  };
  const count = createSharedCount({ limit, workers, window: 60, maxAddresses }, () => now);
  const limiters = Array.from({ length: workers }, () => {
    const limiter = createWorkerLimiter(
      limit,
      () => now,
      (request: CountRequest) =>
        post(() => {
          const answer = count(request);
          post(() => limiter.receive(answer));
        }),
    );
    return limiter;
  });
  const deliver = async <T>(results: Promise<T>[]): Promise<T[]> => {
    for (;;) {
      await new Promise(setImmediate);
      if (arriving.length === 0) return Promise.all(results);
      arriving.splice(random(arriving.length), 1)[0]?.();
    }
  };
  const ask = (worker: number, counter = KEY) =>
    Promise.resolve(limiters[worker]?.count(counter) ?? {});
  return {
    sent: () => sent,
    pass: (ms: number) => {
      now += ms;
    },
    /** Sends so many requests to these workers at once. */
    send: (requests: number, of: number[], counter = KEY) =>
      deliver(
        Array.from({ length: requests }, (_, index) => ask(of[index % of.length] ?? 0, counter)),
      ),
    isUsedUp: async (worker: number, counter: Counter) =>
      (await deliver([Promise.resolve(limiters[worker]?.isUsedUp(counter))]))[0],
  };
}

const admitted = (results: RateLimitResult[]) =>
  results.filter(({ retryAfter }) => retryAfter === undefined).length;

it.each([
  { workers: 2, limit: 1, requests: 10, lost: 0 },
  { workers: 4, limit: 100, requests: 200, lost: 9 },
  { workers: 64, limit: 100, requests: 200, lost: 0 },
  { workers: 4, limit: 5_000, requests: 6_000, lost: 300 },
  { workers: 4, limit: 300, requests: 200, lost: 0 },
  { workers: 4, limit: 20_000, requests: 24_000, lost: 800 },
])(
  "of $requests requests to $workers workers, at most the limit of $limit is admitted, and $lost less",
  async ({ workers, limit, requests, lost }) => {
    const { send } = cluster({ limit, workers });
    const results: RateLimitResult[] = [];
    for (let sent = 0; sent < requests; sent += 10) {
      const first = (sent / 10) % workers;
      results.push(...(await send(10, [first, (first + 1) % workers])));
    }
    expect(admitted(results)).toBeLessThanOrEqual(Math.min(limit, requests));
    expect(admitted(results)).toBeGreaterThanOrEqual(Math.min(limit, requests) - lost);
  },
);

it("a worker that has the counter to itself admits all requests, and gives the exact remaining number", async () => {
  const { send, sent } = cluster({ limit: 2_000, workers: 4 });
  for (let remaining = 1_999; remaining >= 0; remaining--)
    expect(await send(1, [1])).toMatchObject([{ rateLimit: { remaining } }]);
  expect(await send(1, [1])).toMatchObject([{ retryAfter: 60 }]);
  expect(sent()).toBeLessThan(400);
});

it("a worker asks for 100 requests at once or, of a limit above 10,000, for a hundredth of it", async () => {
  for (const [limit, messages] of [
    [10_000, 40],
    [1_000_000, 2],
  ] as const) {
    const { send, sent } = cluster({ limit });
    const before = sent();
    for (let requests = 0; requests < 2_000; requests++) await send(1, [0]);
    expect(sent() - before).toBe(messages);
  }
});

it("permits are lost when their window ends", async () => {
  const { send, pass } = cluster({ limit: 400 });
  await send(1, [0]);
  pass(60_000);
  expect(admitted(await send(401, [1]))).toBe(400);
  expect(admitted(await send(1, [0]))).toBe(0);
});

it("a client that waits for Retry-After is admitted, by any worker", async () => {
  const { send, pass } = cluster({ limit: 2 });
  await send(2, [0, 1]);
  pass(20_500);
  expect(await send(2, [0, 1])).toMatchObject([{ retryAfter: 40 }, { retryAfter: 40 }]);
  pass(39_499);
  expect(await send(1, [0])).toMatchObject([{ retryAfter: 1 }]);
  pass(501);
  expect(admitted(await send(2, [0, 1]))).toBe(2);
});

it("isUsedUp() does not count a request, and is true once the limit is reached", async () => {
  const { send, isUsedUp } = cluster({ limit: 2 });
  for (let times = 0; times < 5; times++)
    expect(await isUsedUp(times % 2, address("a"))).toBe(false);
  expect(admitted(await send(3, [0], address("a")))).toBe(2);
  expect([await isUsedUp(0, address("a")), await isUsedUp(1, address("a"))]).toEqual([true, true]);
});

it("addresses without a counter of their own share one over all workers", async () => {
  const { send, isUsedUp } = cluster({ limit: 20, maxAddresses: 1 });
  await send(1, [0], address("a"));
  const results: RateLimitResult[] = [];
  for (let id = 0; id < 30; id++) results.push(...(await send(1, [id % 2], address(`b${id}`))));
  expect(admitted(results)).toBe(20);
  expect(await isUsedUp(0, address("c"))).toBe(false);
  // One is a permit of the other worker.
  expect(admitted(await send(20, [1], address("a")))).toBe(18);
});

it("100,000 addresses do not grow the memory of the primary and a worker", async () => {
  const { send } = cluster({ limit: 100, maxAddresses: 10_000 });
  const before = usedMemory();
  for (let n = 0; n < 100_000; n++)
    await send(1, [0], address(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
  // 10,000 counters take 12 MB, 100,000 would take 120.
  expect(usedMemory() - before).toBeLessThan(30_000_000);
});
