import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clientAddress } from "../../../src/server/limits/client-address.js";
import { type CounterKey, RateLimiter } from "../../../src/server/limits/rate-limiter.js";
import { usedMemory } from "../../support/used-memory.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OPTIONS = { rateLimit: 2, rateWindow: 60 };
const ticks = () => performance.now();

/** A limiter with a limit of 2 in 60 s. */
function smallLimiter() {
  const limiter = new RateLimiter(OPTIONS, ticks);
  const count = (id: string, kind: CounterKey["kind"] = "address") => {
    const { rateLimit, retryAfter } = limiter.count({ kind, id });
    return retryAfter === undefined ? rateLimit?.remaining : "refused";
  };
  return { limiter, count };
}

/** Counts a request from each of so many addresses. */
function fill(limiter: RateLimiter, addresses: number, prefix = ""): void {
  for (let n = 0; n < addresses; n++) limiter.count({ kind: "address", id: `${prefix}${n}` });
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

describe("with more addresses than counters", () => {
  it("the addresses without a counter share one, and the others keep theirs", () => {
    const { limiter, count } = smallLimiter();
    for (const address of ["a", "b", "c"]) expect(count(address)).toBe(1);
    fill(limiter, 9_997);
    expect([count("d"), count("e"), count("f")]).toEqual([1, 0, "refused"]);
    for (const address of ["a", "b", "c"]) expect(count(address)).toBe(0);
  });

  it("requests from many addresses do not reset a counter", () => {
    const { limiter, count } = smallLimiter();
    for (let i = 0; i < 3; i++) count("a");
    fill(limiter, 20_000);
    expect(count("a")).toBe("refused");
  });

  it("API keys and health checks still have their own counters", () => {
    const { limiter, count } = smallLimiter();
    fill(limiter, 20_000);
    expect([count("key", "key"), count("key", "key"), count("key", "key")]).toEqual([
      1,
      0,
      "refused",
    ]);
    expect(count("another", "key")).toBe(1);
    expect(count("new", "health")).toBe(1);
  });

  it("an address keeps its counter while it sends a request in every window", async () => {
    const { limiter, count } = smallLimiter();
    count("a");
    for (let round = 0; round < 10; round++) {
      await seconds(40);
      fill(limiter, 10_000, `${round} `);
      expect(count("a")).not.toBe("refused");
    }
  });

  it("the counter of an address that sent nothing for a window goes to another", async () => {
    const { limiter, count } = smallLimiter();
    for (const address of ["a", "b", "c"]) count(address);
    await seconds(61);
    count("b");
    fill(limiter, 9_997);
    await seconds(60);
    expect([count("d"), count("e"), count("f"), count("g")]).toEqual([1, 1, 1, 0]);
  });
});

describe.each([
  ["back", -3_600_000],
  ["forward", 3_600_000],
])("after the machine's clock was set %s by an hour", (_direction, change) => {
  it("a window ends at the same time, and Retry-After is unchanged", async () => {
    const { limiter, count } = smallLimiter();
    for (let i = 0; i < 2; i++) count("a");
    await seconds(20);
    vi.setSystemTime(Date.now() + change);
    const refused = { rateLimit: { limit: 2, remaining: 0, reset: 40 }, retryAfter: 40 };
    expect(limiter.count({ kind: "address", id: "a" })).toEqual(refused);
    await seconds(39.9);
    expect(count("a")).toBe("refused");
    await seconds(0.1);
    expect(count("a")).toBe(1);
  });
});

it("a window ends at its time, whatever others began and ended meanwhile", async () => {
  const { count } = smallLimiter();
  count("a");
  await seconds(30);
  expect([count("b"), count("b"), count("b")]).toEqual([1, 0, "refused"]);
  await seconds(30);
  // The window of a has ended, and another begins.
  expect(count("a")).toBe(1);
  await seconds(30);
  expect(count("b")).toBe(1);
});

describe("isUsedUp()", () => {
  it("does not count a request", async () => {
    const { limiter, count } = smallLimiter();
    const isUsedUp = () => limiter.isUsedUp({ kind: "address", id: "a" });
    expect(isUsedUp()).toBe(false);
    count("a");
    expect(isUsedUp()).toBe(false);
    count("a");
    expect(isUsedUp()).toBe(true);
    await seconds(60);
    expect(isUsedUp()).toBe(false);
  });

  it("is false for an address without a counter of its own", async () => {
    const { limiter, count } = smallLimiter();
    fill(limiter, 10_010);
    expect(count("a")).toBe("refused");
    expect(limiter.isUsedUp({ kind: "address", id: "a" })).toBe(false);
  });
});

it("200,000 addresses do not grow the memory of a limiter", () => {
  const limiter = new RateLimiter({ rateLimit: 100, rateWindow: 60 }, () => 0);
  const before = usedMemory();
  for (let n = 0; n < 100_000; n++) {
    const high = n.toString(16);
    limiter.count({
      kind: "address",
      id: clientAddress(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`),
    });
    limiter.count({
      kind: "health",
      id: clientAddress(`2001:db8:${high.slice(0, -4) || 0}:${high.slice(-4)}::1`),
    });
  }
  // 20,000 counters take 6 MB, 200,000 would take 60.
  expect(usedMemory() - before).toBeLessThan(15_000_000);
  // Clients without a counter share one, which has counted 90,000 requests.
  expect(limiter.count({ kind: "address", id: "192.0.2.1" })).toMatchObject({ retryAfter: 60 });
  expect(limiter.count({ kind: "address", id: "10.0.0.1" })).toMatchObject({
    rateLimit: { remaining: 98 },
  });
});

it("RateLimit-Reset never exceeds the window, even if it begins at a fraction of a millisecond", async () => {
  const limiter = new RateLimiter({ rateLimit: 2, rateWindow: 60 }, () => 5536.002);
  expect(limiter.count({ kind: "key", id: "a" })).toMatchObject({ rateLimit: { reset: 60 } });
});

describe("clientAddress()", () => {
  it.each([
    ["an IPv4 address is itself", "192.0.2.1", "192.0.2.1"],
    ["an IPv4-mapped address is the IPv4 address", "::ffff:192.0.2.1", "192.0.2.1"],
    ["an IPv4-mapped address in upper case", "::FFFF:192.0.2.1", "192.0.2.1"],
    ["an IPv6 address is its /64", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["an IPv6 address compressed at the end", "2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["an IPv6 address compressed inside the /64", "2001:db8::1", "2001:db8:0:0::/64"],
    ["an IPv6 address compressed at the start", "::1:2:3:4:5", "0:0:0:1::/64"],
    ["an IPv6 address compressed by one group", "2001:db8:1::3:4:5:6", "2001:db8:1:0::/64"],
    [
      "an IPv6 address with leading zeros in upper case",
      "2001:0DB8:0001:0002::00AB",
      "2001:db8:1:2::/64",
    ],
    ["the loopback address", "::1", "0:0:0:0::/64"],
    ["a zone is ignored", "fe80::1%eth0", "fe80:0:0:0::/64"],
    ["an embedded IPv4 address that is not mapped", "64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["a client that has disconnected", undefined, "unknown"],
  ])("the rate limit groups addresses: %s", (_what, address, expected) => {
    expect(clientAddress(address)).toBe(expected);
  });
});
