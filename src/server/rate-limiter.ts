import { isIPv4 } from "node:net";
import type { RateLimit } from "../domain/http-headers.js";

export interface RateLimitOptions {
  /** Requests allowed in one window, 0 for no limit. */
  limit: number;
  /** Length of the window in seconds; it starts with a counter's first request. */
  window: number;
  /** Addresses that get a counter of their own, for each kind. Default 10,000. */
  maxAddresses?: number;
}

/** What a request counts against: an API key, a client address, or an address's separate counter for `/healthz`. */
export interface Counter {
  kind: "key" | "address" | "health";
  /** The API key, or the address as `clientAddress` returns it. */
  id: string;
}

interface RateLimitResult {
  /** Undefined without a limit. */
  rateLimit?: RateLimit;
  /** Seconds until the next request is allowed; set if this one exceeds the limit. */
  retryAfter?: number;
}

/** Its results need not be promises: a limiter in memory answers at once. */
export interface RateLimiter {
  count(counter: Counter): RateLimitResult | Promise<RateLimitResult>;
  /** Whether the next request will exceed the limit. Always false for an address without a counter of its own. */
  isUsedUp(counter: Counter): boolean | Promise<boolean>;
}

/** About 600 bytes each: a million would take 0.6 GB, and block the server for half a second when they expire. */
const MAX_ADDRESSES = 10_000;

/** The counter that the addresses without one share. */
const OTHERS = "others";

/** Counts in this process's memory. @param ticks monotonic clock in milliseconds */
export function createRateLimiter(options: RateLimitOptions, ticks: () => number): RateLimiter {
  const { limit, window, maxAddresses = MAX_ADDRESSES } = options;
  if (limit === 0) return { count: () => ({}), isUsedUp: () => false };
  const windowMs = window * 1_000;
  const windows = { key: createWindows(windowMs), address: createWindows(windowMs), health: createWindows(windowMs) };
  const takePlace = {
    address: createAddressPlaces(maxAddresses, windowMs),
    health: createAddressPlaces(maxAddresses, windowMs),
  };
  return {
    count({ kind, id }) {
      // Rounded, or a floating-point error could make the window longer by a second in the headers.
      const now = Math.floor(ticks());
      const isShared = kind !== "key" && !takePlace[kind](id, now);
      const { count, end } = windows[kind].count(isShared ? OTHERS : id, now);
      const reset = Math.ceil((end - now) / 1_000);
      const rateLimit = { limit, remaining: Math.max(0, limit - count), reset };
      return count > limit ? { rateLimit, retryAfter: reset } : { rateLimit };
    },
    isUsedUp({ kind, id }) {
      return windows[kind].countOf(id, ticks()) >= limit;
    },
  };
}

/** The requests in each counter's current window, which starts with its first request. */
function createWindows(lengthMs: number) {
  // All have the same length, so they end in the order in which they began.
  const windows = new Map<string, { count: number; end: number }>();
  let firstEnd = Number.POSITIVE_INFINITY;
  const dropEnded = (now: number) => {
    firstEnd = Number.POSITIVE_INFINITY;
    for (const [id, { end }] of windows) {
      if (end > now) {
        firstEnd = end;
        return;
      }
      windows.delete(id);
    }
  };
  const current = (id: string, now: number) => {
    if (firstEnd <= now) dropEnded(now);
    return windows.get(id);
  };
  const open = (id: string, now: number) => {
    const window = { count: 0, end: now + lengthMs };
    windows.set(id, window);
    firstEnd = Math.min(firstEnd, window.end);
    return window;
  };
  return {
    /** Counts one request, in a new window if there is none. */
    count(id: string, now: number) {
      const window = current(id, now) ?? open(id, now);
      window.count++;
      return window;
    },
    countOf: (id: string, now: number) => current(id, now)?.count ?? 0,
  };
}

/**
 * The addresses that have a counter of their own. An address keeps its place while it sends a request in every window,
 * so nobody can reset a counter by sending from many addresses. Once all places are taken, other addresses share one
 * counter.
 *
 * @returns whether an address has a place or gets one now
 */
function createAddressPlaces(max: number, windowMs: number): (address: string, now: number) => boolean {
  // When each was last seen, the least recent first.
  const lastSeen = new Map<string, number>();
  const freeExpired = (now: number) => {
    for (const [address, time] of lastSeen) {
      if (now - time <= windowMs) return;
      lastSeen.delete(address);
    }
  };
  return (address, now) => {
    if (!lastSeen.delete(address)) freeExpired(now);
    if (lastSeen.size >= max) return false;
    lastSeen.set(address, now);
    return true;
  };
}

/**
 * The address that a client's requests are counted under: an IPv4 address, or the /64 of an IPv6 address, since one
 * client usually has a whole /64. An IPv4-mapped address (`::ffff:192.0.2.1`) is the IPv4 address; zones are ignored.
 *
 * @param remoteAddress of a socket: undefined after the client has disconnected
 */
export function clientAddress(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return "unknown";
  if (isIPv4(remoteAddress)) return remoteAddress;
  // The URL parser normalizes the address: lower case, no leading zeros, no dotted quad.
  const { hostname } = new URL(`http://[${remoteAddress.replace(/%.*/, "")}]`);
  const [head = [], tail] = hostname
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(tail ? 8 - head.length - tail.length : 0).fill("0");
  const groups = [...head, ...zeros, ...(tail ?? [])];
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return `${groups.slice(0, 4).join(":")}::/64`;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
