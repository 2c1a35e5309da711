import { describe, expect, it, vi } from "vitest";
import {
  type Budget,
  createBudget,
  type RetryNotice,
  type RetryOn,
  withRetries,
} from "../../src/client/retry.js";
import {
  NotFoundError,
  ServerError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
} from "../../src/kit/text/errors.js";
import { RateLimitedError } from "../../src/model/errors.js";

const unreachable = (code: string) =>
  new UnreachableError("no answer", { cause: Object.assign(new Error(), { code }) });
const limited = (seconds: number) => new RateLimitedError("limited", seconds);
const down = new ServerError("the server failed with status 503", 503);

const PASSING: [string, Error][] = [
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"].map(
    (code): [string, Error] => [code, unreachable(code)],
  ),
  ...[408, 502, 503, 504].map((status): [string, Error] => [
    String(status),
    new ServerError("failed", status),
  ]),
  ["429", limited(1)],
];

const LASTING: [string, Error][] = [
  ["ENOTFOUND", unreachable("ENOTFOUND")],
  ["an untrusted certificate", unreachable("DEPTH_ZERO_SELF_SIGNED_CERT")],
  ...[0, 200, 404, 500, 501].map((status): [string, Error] => [
    `status ${status}`,
    new ServerError("failed", status),
  ]),
  ["400", new UsageError("limit")],
  ["401", new UnauthorizedError("refused")],
  ["404", new NotFoundError()],
  ["a bug", new TypeError("bug")],
];

interface World {
  /** Default 60, as if it were explicit. */
  maxWait?: number | "default";
  budget?: Budget;
  random?: number;
  attemptSeconds?: number;
  retryOn?: RetryOn;
}

/**
 * `attempt` fails with these errors, then succeeds. Time passes only in `sleep`, and in an attempt.
 */
function world(errors: Error[], options: World = {}) {
  const { budget = createBudget(), random = 0.5, attemptSeconds = 0, retryOn } = options;
  const maxWait = options.maxWait === "default" ? undefined : (options.maxWait ?? 60);
  const left = [...errors];
  const notices: RetryNotice[] = [];
  let now = 0;
  const attempt = vi.fn(async (atMost: number) => {
    now += Math.min(attemptSeconds, atMost) * 1_000;
    const error = left.shift();
    if (error) throw error;
    return "done";
  });
  const sleep = vi.fn(async (seconds: number) => {
    now += seconds * 1_000;
  });
  const onRetry = (notice: RetryNotice) => notices.push(notice);
  const common = {
    budget,
    maxWait,
    ticks: () => now,
    random: () => random,
    sleep,
    onRetry,
    retryOn,
  };
  const run = () => withRetries(attempt, common);
  const pauses = () => sleep.mock.calls.map(([seconds]) => seconds);
  return { run, attempt, sleep, notices, pauses, budget, seconds: () => now / 1_000 };
}

describe("withRetries()", () => {
  it("retries only after a 429 with retryOn rate-limit", async () => {
    const { run, attempt, pauses } = world([limited(3), unreachable("ECONNREFUSED")], {
      retryOn: "rate-limit",
    });
    await expect(run()).rejects.toThrow(UnreachableError);
    expect([attempt.mock.calls.length, pauses()]).toEqual([2, [3]]);
  });

  it("tries once if that succeeds", async () => {
    const { run, attempt, sleep } = world([]);
    expect(await run()).toBe("done");
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(sleep).not.toHaveBeenCalled();
  });

  it.each(PASSING)("retries after %s", async (_what, error) => {
    const { run, attempt } = world([error]);
    expect(await run()).toBe("done");
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  it.each(LASTING)("does not retry after %s", async (_what, error) => {
    const { run, attempt, sleep } = world([error]);
    await expect(run()).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(sleep).not.toHaveBeenCalled();
  });

  it("waits after a 429 for exactly as long as the server said", async () => {
    const { run, pauses } = world([limited(7), limited(3), limited(20)]);
    await run();
    expect(pauses()).toStrictEqual([7, 3, 20]);
  });

  it("waits after a 429 without a time as after any other failure", async () => {
    const { run, pauses } = world([limited(0)], { random: 0 });
    await run();
    expect(pauses()).toStrictEqual([0.1]);
  });

  it.each([
    [0, [0.1, 0.2, 0.4, 0.8, 1.6, 2.5, 2.5]],
    [1 - 2 ** -53, [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]],
  ])(
    "doubles its pauses from 0.2 s up to 5 s, less a jitter of up to a half: random %d",
    async (random, expected) => {
      const { run, pauses } = world(Array(7).fill(down), { random });
      await run();
      expect(pauses().map((seconds) => Number(seconds.toFixed(9)))).toStrictEqual(expected);
    },
  );

  it("reports each pause and its reason beforehand", async () => {
    const { run, notices } = world([limited(2), down], { random: 0 });
    await run();
    expect(notices).toStrictEqual([
      { wait: 2, reason: "limited" },
      { wait: 0.2, reason: "the server failed with status 503" },
    ]);
  });

  it.each([
    ["429", limited(1)],
    ["a passing failure", down],
  ])("tries once with a budget of 0: %s", async (_what, error) => {
    const { run, attempt, sleep } = world([error], { maxWait: 0, random: 0 });
    await expect(run()).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(sleep).not.toHaveBeenCalled();
  });

  it.each([
    [5, 2],
    [4.999, 1],
  ])("waits for 5 s only if the budget allows it: %d s, %d tries", async (span, tries) => {
    const { run, attempt } = world([limited(5)], { maxWait: span });
    await run().catch(() => {});
    expect(attempt).toHaveBeenCalledTimes(tries);
  });

  it("never spends more than its budget on pauses, and ends with the last error", async () => {
    const last = limited(4);
    const { run, seconds } = world([limited(4), limited(4), last, down], { maxWait: 10 });
    await expect(run()).rejects.toBe(last);
    expect(seconds()).toBe(8);
  });

  it("counts the time of all tries but the first", async () => {
    const { run, attempt } = world(Array(9).fill(limited(1)), { maxWait: 10, attemptSeconds: 3 });
    await expect(run()).rejects.toThrow("limited");
    // 1 s of pause, then 3 s of try and 1 s of pause each time: 1, 5, 9, and no more fits.
    expect(attempt).toHaveBeenCalledTimes(4);
  });

  it("shares a budget between concurrent calls, without counting their waits twice", async () => {
    const budget = createBudget();
    const calls = Array.from({ length: 8 }, () => world([limited(4)], { budget, maxWait: 5 }));
    await Promise.all(calls.map(({ run }) => run()));
    for (const { attempt } of calls) expect(attempt).toHaveBeenCalledTimes(2);
  });

  it("shares a budget between consecutive calls", async () => {
    const { run, budget } = world([limited(4), limited(4)], { maxWait: 5 });
    await run().catch(() => {});
    const next = world([limited(4)], { budget, maxWait: 5 });
    await next.run();
    expect([budget.failedAt, next.pauses()]).toEqual([0, [4]]);
  });

  it("does not wait beyond the end of its budget, however late the first failure occurs", async () => {
    const budget = { ...createBudget(), deadline: 3_000 };
    const { run, pauses } = world([limited(2), limited(2)], { budget });
    await expect(run()).rejects.toThrow("limited");
    expect(pauses()).toEqual([2]);
  });
});

/** Refused by the machine with this address. */
const refused = (address: string) =>
  new UnreachableError("refused", {
    cause: Object.assign(new Error(), { code: "ECONNREFUSED", address }),
  });
/** Refused by all addresses of a name. */
const refusedByAll = (...addresses: string[]) => {
  const errors = addresses.map((address) => refused(address).cause);
  return new UnreachableError("refused", {
    cause: Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" }),
  });
};

describe("withRetries() without maxWait", () => {
  const UNREACHABLE: [problem: string, error: Error][] = [
    ["resets connections", unreachable("ECONNRESET")],
    ["can't be looked up", unreachable("EAI_AGAIN")],
    ["is behind a proxy that can't reach it", down],
    ["refuses connections on another machine", refused("192.0.2.7")],
    ["refuses connections here and elsewhere", refusedByAll("127.0.0.1", "192.0.2.7")],
  ];

  /** Seconds after which a server that always fails like this is given up. */
  async function givenUpAfter(error: Error, options: World): Promise<number> {
    const { run, seconds } = world(Array(99).fill(error), { maxWait: "default", ...options });
    await expect(run()).rejects.toBe(error);
    return seconds();
  }

  it.each(UNREACHABLE)(
    "withRetries() gives up within 15 s if the server %s",
    async (_what, error) => {
      for (const random of [0, 0.5, 0.99]) {
        const seconds = await givenUpAfter(error, { random });
        expect([seconds > 9, seconds <= 15]).toEqual([true, true]);
      }
      expect(await givenUpAfter(error, { maxWait: 60 })).toBeGreaterThan(50);
    },
  );

  it.each([
    ["127.0.0.1", refused("127.0.0.1")],
    ["::1", refused("::1")],
    ["both addresses of localhost", refusedByAll("::1", "127.0.0.1")],
  ])(
    "withRetries() gives up within 3 s if this machine refuses connections: %s",
    async (_what, error) => {
      for (const random of [0, 0.5, 0.99]) {
        const seconds = await givenUpAfter(error, { random });
        expect([seconds > 1, seconds <= 3]).toEqual([true, true]);
      }
      expect(await givenUpAfter(error, { maxWait: 60 })).toBeGreaterThan(50);
    },
  );

  it("withRetries() counts all tries, and gives the last one the rest of the 15 s", async () => {
    expect(await givenUpAfter(unreachable("ETIMEDOUT"), { attemptSeconds: 10 })).toBeCloseTo(15);
    const { run, attempt } = world([unreachable("ETIMEDOUT")], {
      maxWait: "default",
      attemptSeconds: 10,
      random: 0,
    });
    await run();
    expect(attempt.mock.calls).toEqual([[Number.POSITIVE_INFINITY], [expect.closeTo(4.9)]]);
  });

  it("withRetries() waits up to 60 s after a 429, and again up to 15 s for a server that fails after one", async () => {
    const { run, seconds } = world([limited(20), limited(30)], { maxWait: "default" });
    await run();
    expect(seconds()).toBe(50);
    const mixed = world([down, limited(40), ...Array(99).fill(down)], { maxWait: "default" });
    await expect(mixed.run()).rejects.toBe(down);
    expect([mixed.seconds() > 50, mixed.seconds() <= 56]).toEqual([true, true]);
    await expect(world([limited(61)], { maxWait: "default" }).run()).rejects.toThrow("limited");
  });
});
