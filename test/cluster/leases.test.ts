import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LeaseBook } from "../../src/cluster/lease-book.js";
import { createLeasedLimiter, type LeasedLimiter } from "../../src/cluster/leased-limiter.js";
import type { LeaseAnswer, LeaseRequest } from "../../src/cluster/leases.js";
import type { Counter } from "../../src/server/rate-limiter.js";
import { usedMemory } from "../support/used-memory.js";

const KEY: Counter = { kind: "key", id: "a" };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

interface Options {
  limit: number;
  workers: number;
  maxAddresses?: number;
}

/** A primary and workers whose messages arrive when `deliver` is called. Each link keeps their order. */
function cluster({ limit, workers, maxAddresses = 10 }: Options) {
  let now = 0;
  let sent = 0;
  const links = new Map<string, (() => void)[]>();
  const hanging = new Set<string>();
  const post = (link: string, arrive: () => void) => {
    sent++;
    links.set(link, [...(links.get(link) ?? []), arrive]);
  };
  const limiters: (LeasedLimiter | undefined)[] = [];
  const send = (to: number, answer: LeaseAnswer) => post(`to ${to}`, () => limiters[to]?.receive(answer));
  const book = new LeaseBook<number>({ limit, window: 60, workers, maxAddresses, ticks: () => now, send });
  const receive = (from: number, request: LeaseRequest) => {
    if (!limiters[from]) return;
    if (request.kind === "ask") book.ask(from, request);
    else book.giveBack(from, request);
  };
  for (let id = 0; id < workers; id++) {
    // Each process has a clock that starts at another time.
    const ticks = () => now + 12_345.6 * id;
    limiters.push(createLeasedLimiter({ limit }, ticks, (request) => post(`of ${id}`, () => receive(id, request))));
    book.add(id);
  }
  const outcomes: { worker: number; isAdmitted: boolean; remaining: number; retryAfter: number | undefined }[] = [];

  return {
    outcomes,
    sent: () => sent,
    admitted: () => outcomes.filter(({ isAdmitted }) => isAdmitted).length,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    request: (worker: number, counter = KEY) => {
      const done = Promise.resolve(limiters[worker]?.count(counter)).then((result) => {
        const { rateLimit, retryAfter } = result ?? {};
        outcomes.push({
          worker,
          isAdmitted: retryAfter === undefined,
          remaining: rateLimit?.remaining ?? -1,
          retryAfter,
        });
      });
      return done;
    },
    isUsedUp: (worker: number, counter: Counter) => Promise.resolve(limiters[worker]?.isUsedUp(counter)),
    die: (worker: number) => {
      limiters[worker] = undefined;
      book.remove(worker);
    },
    /** Messages to this worker are kept until it goes on. */
    hang: (worker: number) => void hanging.add(`to ${worker}`),
    goOn: (worker: number) => void hanging.delete(`to ${worker}`),
    /** Delivers messages until there are none. @param pick chooses the link of the next one */
    deliver: async (pick = (_count: number) => 0) => {
      for (;;) {
        // What has arrived may lead to further requests.
        await new Promise(setImmediate);
        const filled = [...links].filter(([link, messages]) => messages.length > 0 && !hanging.has(link));
        if (filled.length === 0) return;
        filled[pick(filled.length)]?.[1].shift()?.();
      }
    },
  };
}

/** Pseudorandom whole numbers below `count`, the same in every run. */
function random(seed: number) {
  let state = seed;
  return (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

describe("of many requests in one window, exactly the limit is admitted", () => {
  it.each([
    { workers: 2, limit: 1, requests: 10 },
    { workers: 2, limit: 100, requests: 200 },
    { workers: 4, limit: 100, requests: 200 },
    { workers: 64, limit: 100, requests: 200 },
    { workers: 4, limit: 5_000, requests: 6_000 },
    { workers: 4, limit: 300, requests: 200 },
  ])("$requests requests to $workers workers with a limit of $limit", async ({ workers, limit, requests }) => {
    for (const seed of [1, 2, 3]) {
      const pick = random(seed);
      const { request, deliver, admitted, outcomes } = cluster({ limit, workers });
      for (let sent = 0; sent < requests; sent++) {
        void request(pick(workers));
        if (pick(10) === 0) await deliver(pick);
      }
      await deliver(pick);
      expect([outcomes.length, admitted()]).toEqual([requests, Math.min(limit, requests)]);
    }
  });
});

/** Sends so many requests to one worker, each after the answer to the one before. */
async function sendTo({ request, deliver }: ReturnType<typeof cluster>, worker: number, count: number, counter = KEY) {
  for (let sent = 0; sent < count; sent++) {
    void request(worker, counter);
    await deliver();
  }
}

it("a busy worker needs far fewer messages than requests", async () => {
  const all = cluster({ limit: 7_500, workers: 2 });
  await sendTo(all, 0, 5_000);
  expect(all.admitted()).toBe(5_000);
  expect(all.sent()).toBeLessThan(100);
});

it("a worker that has the counter to itself tells exactly what remains", async () => {
  const all = cluster({ limit: 500, workers: 4 });
  await sendTo(all, 1, 501);
  expect(all.outcomes.map(({ remaining }) => remaining)).toEqual(
    [...Array(501).keys()].map((n) => Math.max(0, 499 - n)),
  );
});

it("no worker tells that more requests remain than do, and together not much less", async () => {
  const pick = random(7);
  const all = cluster({ limit: 2_000, workers: 3 });
  for (let sent = 1; sent <= 2_000; sent++) {
    await sendTo(all, pick(3), 1);
    const { remaining = 0 } = all.outcomes.at(-1) ?? {};
    expect(remaining).toBeLessThanOrEqual(2_000 - sent);
    // 1/8 is not announced, and 1/8 may be in leases of the others.
    expect(remaining).toBeGreaterThanOrEqual((2_000 - sent) * 0.75 - 10);
  }
});

it("what a worker has left of its lease is admitted elsewhere before anything is refused", async () => {
  const all = cluster({ limit: 400, workers: 2 });
  await sendTo(all, 0, 20);
  await sendTo(all, 1, 400);
  expect(all.admitted()).toBe(400);
  expect(all.outcomes.filter(({ worker, isAdmitted }) => worker === 0 && isAdmitted)).toHaveLength(20);
});

it("once a worker has refused a request, it refuses the others in the window without a message", async () => {
  const all = cluster({ limit: 2, workers: 2 });
  await sendTo(all, 0, 3);
  const sent = all.sent();
  await sendTo(all, 0, 100);
  expect([all.admitted(), all.sent()]).toEqual([2, sent]);
});

it("a client that waits for Retry-After is admitted, by any worker", async () => {
  const all = cluster({ limit: 2, workers: 2 });
  await sendTo(all, 0, 2);
  all.pass(20_500);
  await sendTo(all, 0, 1);
  await sendTo(all, 1, 1);
  expect(all.outcomes.slice(2)).toMatchObject([{ retryAfter: 40 }, { retryAfter: 40 }]);
  all.pass(39_499);
  await sendTo(all, 0, 1);
  expect(all.outcomes.at(-1)).toMatchObject({ isAdmitted: false, retryAfter: 1 });
  all.pass(501);
  await sendTo(all, 0, 1);
  await sendTo(all, 1, 1);
  expect(all.admitted()).toBe(4);
});

it("a lease ends with its window", async () => {
  const all = cluster({ limit: 400, workers: 2 });
  await sendTo(all, 0, 100);
  all.pass(60_000);
  await sendTo(all, 1, 400);
  await sendTo(all, 0, 1);
  expect(all.admitted()).toBe(500);
});

it("a request that is sent at the end of a window and counted in the next one is answered", async () => {
  const all = cluster({ limit: 2, workers: 2 });
  await sendTo(all, 0, 1);
  void all.request(0);
  all.pass(60_000);
  void all.request(0);
  await all.deliver();
  await sendTo(all, 1, 1);
  expect(all.outcomes.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true, false]);
});

describe("when a worker dies", () => {
  it("its lease counts as used until the window ends", async () => {
    const all = cluster({ limit: 400, workers: 2 });
    await sendTo(all, 0, 20);
    all.die(0);
    await sendTo(all, 1, 400);
    const lost = 400 - all.admitted();
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(400 / 16);
    all.pass(60_000);
    await sendTo(all, 1, 401);
    expect(all.admitted()).toBe(800 - lost);
  });

  it("the requests that wait for its lease are answered", async () => {
    const all = cluster({ limit: 400, workers: 2 });
    await sendTo(all, 0, 20);
    for (let sent = 0; sent < 400; sent++) void all.request(1);
    all.die(0);
    await all.deliver();
    expect(all.outcomes).toHaveLength(420);
  });
});

it("a worker that hangs makes requests to others wait for a second, and its lease counts as used", async () => {
  const all = cluster({ limit: 400, workers: 2 });
  await sendTo(all, 0, 20);
  all.hang(0);
  for (let sent = 0; sent < 400; sent++) void all.request(1);
  await all.deliver();
  const answered = all.outcomes.length;
  expect(answered).toBeLessThan(420);
  vi.advanceTimersByTime(1_000);
  await all.deliver();
  expect(all.outcomes).toHaveLength(420);
  const lost = 400 - all.admitted();
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThan(400 / 16);
  all.goOn(0);
  await all.deliver();
  await sendTo(all, 0, 20);
  expect(400 - all.admitted()).toBe(lost);
  all.pass(60_000);
  await sendTo(all, 0, 401);
  expect(all.admitted()).toBe(800 - lost);
});

describe("addresses", () => {
  const address = (id: string): Counter => ({ kind: "address", id });

  it("isUsedUp() does not count a request, and is true once the limit is reached", async () => {
    const all = cluster({ limit: 2, workers: 2 });
    const isUsedUp = async (worker: number) => {
      const answer = all.isUsedUp(worker, address("a"));
      await all.deliver();
      return answer;
    };
    for (let times = 0; times < 5; times++) expect([await isUsedUp(0), await isUsedUp(1)]).toEqual([false, false]);
    await sendTo(all, 0, 3, address("a"));
    expect(all.admitted()).toBe(2);
    expect([await isUsedUp(0), await isUsedUp(1)]).toEqual([true, true]);
  });

  it("addresses without a counter of their own share one over all workers", async () => {
    const all = cluster({ limit: 20, workers: 2, maxAddresses: 1 });
    await sendTo(all, 0, 1, address("a"));
    for (let id = 0; id < 30; id++) await sendTo(all, id % 2, 1, address(`b${id}`));
    expect(all.admitted()).toBe(1 + 20);
    const answer = all.isUsedUp(0, address("c"));
    await all.deliver();
    expect(await answer).toBe(false);
    await sendTo(all, 1, 20, address("a"));
    expect(all.admitted()).toBe(20 + 20);
  });

  it("100,000 addresses do not grow the memory of the primary and a worker", async () => {
    // The primary answers at once, and has the default number of counters.
    const book = new LeaseBook<number>({
      ...{ limit: 100, window: 60, workers: 1, ticks: () => 0 },
      send: (_worker, answer) => queueMicrotask(() => limiter.receive(answer)),
    });
    const limiter = createLeasedLimiter(
      { limit: 100 },
      () => 0,
      (request) => {
        if (request.kind === "ask") book.ask(0, request);
      },
    );
    book.add(0);
    const before = usedMemory();
    for (let n = 0; n < 100_000; n++) await limiter.count(address(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
    // 10,000 counters take 12 MB, 100,000 would take 120.
    expect(usedMemory() - before).toBeLessThan(30_000_000);
    expect(await limiter.count(address("192.0.2.1"))).toMatchObject({ retryAfter: 60 });
  });

  it("an address that is being asked for whenever its window ends does not keep others in a worker's memory", async () => {
    const all = cluster({ limit: 300, workers: 1, maxAddresses: 100_000 });
    await sendTo(all, 0, 1, address("busy"));
    all.pass(59_950);
    const before = usedMemory();
    for (let window = 0; window < 20; window++) {
      // The first request asks for one lease, the others for the next: as a message takes 20 ms, that is one of the next window.
      for (let n = 0; n < 200; n++) void all.request(0, address("busy"));
      let ms = 0;
      await all.deliver(() => {
        all.pass(20);
        ms += 20;
        return 0;
      });
      for (let n = 0; n < 2_000; n++) void all.request(0, address(`${window} ${n}`));
      await all.deliver();
      all.outcomes.length = 0;
      all.pass(60_000 - ms);
    }
    // Two windows of 2,000 addresses take 3 MB, 20 windows would take 20.
    expect(usedMemory() - before).toBeLessThan(8_000_000);
  });

  it("an address that sends requests in every window keeps its counter, though not all of them are asked for", async () => {
    const all = cluster({ limit: 1_000, workers: 1, maxAddresses: 1 });
    await sendTo(all, 0, 50, address("a"));
    all.pass(59_000);
    const sent = all.sent();
    await sendTo(all, 0, 1, address("a"));
    expect(all.sent()).toBe(sent);
    all.pass(2_000);
    await sendTo(all, 0, 1, address("b"));
    await sendTo(all, 0, 1, address("a"));
    expect(all.outcomes.at(-1)?.remaining).toBe(999);
  });
});
