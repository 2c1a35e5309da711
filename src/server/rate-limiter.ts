import { isIPv4 } from "node:net";
import type { RateLimit } from "../model/http-headers.js";

export interface RateLimitOptions {
  /** Requests allowed in one window, 0 for no limit. */
  limit: number;
  /** Length of the window in seconds; it starts with a counter's first request. */
  window: number;
  /** Addresses that get a counter of their own, for each kind. Default 10,000. */
  maxAddresses?: number;
}

/**
 * The owner of a counter: an API key, a client address, or an address's separate counter for
 * `/healthz`.
 */
export interface Counter {
  kind: "key" | "address" | "health";
  /** The API key, or the address as `clientAddress` returns it. */
  id: string;
}

export interface RateLimitResult {
  /** Undefined without a limit. */
  rateLimit?: RateLimit;
  /** Seconds until the next request is allowed; set if this one exceeds the limit. */
  retryAfter?: number;
}

/** Its results need not be promises: a limiter in memory answers at once. */
export interface RateLimiter {
  count(counter: Counter): RateLimitResult | Promise<RateLimitResult>;
  /**
   * Whether the next request will exceed the limit. Always false for an address without a counter
   * of its own.
   */
  isUsedUp(counter: Counter): boolean | Promise<boolean>;
  close?(): void;
}

/**
 * About 600 bytes each: a million would take 0.6 GB, and block the server for half a second when
 * they expire.
 */
const MAX_ADDRESSES = 10_000;

/** The id of the counter that the addresses without one share. */
const OTHERS = "others";

/** Counts in this process's memory. @param ticks monotonic clock in milliseconds */
export function createRateLimiter(options: RateLimitOptions, ticks: () => number): RateLimiter {
  const { limit } = options;
  if (limit === 0) return { count: () => ({}), isUsedUp: () => false };
  const windows = createWindows(options);
  return {
    count(counter) {
      // Rounded, or a floating-point error could make the window longer by a second in the headers.
      const now = Math.floor(ticks());
      const window = windows.enter(counter, now);
      return rateLimitResult(limit, ++window.count, window.end - now);
    },
    isUsedUp: (counter) => windows.countOf(counter, ticks()) >= limit,
  };
}

/**
 * @param count requests in the window, with this one
 *
 * @param timeLeft milliseconds until the window ends
 */
function rateLimitResult(limit: number, count: number, timeLeft: number): RateLimitResult {
  const reset = Math.ceil(timeLeft / 1_000);
  const rateLimit = { limit, remaining: Math.max(0, limit - count), reset };
  return count > limit ? { rateLimit, retryAfter: reset } : { rateLimit };
}

/** The requests that a counter has counted, for a time that starts with the first of them. */
interface Window {
  count: number;
  /** By the clock of `now`. */
  readonly end: number;
  /** Whether the addresses without a counter of their own share it. */
  readonly isShared: boolean;
}

/** The current windows of all counters. Times are in milliseconds on a monotonic clock. */
interface Windows {
  /** The window to count a request in; a new one, if there is none. */
  enter(counter: Counter, now: number): Window;
  /** The requests in the window that is a counter's own. */
  countOf(counter: Counter, now: number): number;
}

function createWindows({
  window: seconds,
  maxAddresses = MAX_ADDRESSES,
}: Omit<RateLimitOptions, "limit">): Windows {
  const lengthMs = seconds * 1_000;
  const windows = {
    key: windowsOfKind(lengthMs),
    address: windowsOfKind(lengthMs),
    health: windowsOfKind(lengthMs),
  };
  const places = createAddressPlaces(maxAddresses, lengthMs);
  return {
    enter(counter, now) {
      const { kind, id } = counter;
      const isShared = !places.take(counter, now);
      return windows[kind].enter(isShared ? OTHERS : id, now, isShared);
    },
    countOf: ({ kind, id }, now) => windows[kind].current(id, now)?.count ?? 0,
  };
}

function windowsOfKind(lengthMs: number) {
  // All have the same length, so they end in the order in which they began.
  const windows = new Map<string, Window>();
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
  const enter = (id: string, now: number, isShared: boolean) => {
    const known = current(id, now);
    if (known) return known;
    const window = { count: 0, end: now + lengthMs, isShared };
    windows.set(id, window);
    firstEnd = Math.min(firstEnd, window.end);
    return window;
  };
  return { current, enter };
}

/** Which requests have a counter of their own. */
interface AddressPlaces {
  /** Whether a request has one, or gets one now. True for every API key. */
  take(counter: Counter, now: number): boolean;
  /** Whether it has one already. */
  has(counter: Counter): boolean;
}

/**
 * The addresses that have a counter of their own. An address keeps its place while it sends a
 * request in every window, so nobody can reset a counter by sending from many addresses. Once all
 * places are taken, other addresses share one counter.
 *
 * @param max the number of places, for each kind of counter
 */
function createAddressPlaces(max: number, keepMs: number): AddressPlaces {
  // When each was last seen, the least recent first.
  const lastSeen = { address: new Map<string, number>(), health: new Map<string, number>() };
  const freeExpired = (places: Map<string, number>, now: number) => {
    for (const [address, time] of places) {
      if (now - time <= keepMs) return;
      places.delete(address);
    }
  };
  return {
    take({ kind, id }, now) {
      if (kind === "key") return true;
      const places = lastSeen[kind];
      if (!places.delete(id)) freeExpired(places, now);
      if (places.size >= max) return false;
      places.set(id, now);
      return true;
    },
    has: ({ kind, id }) => kind === "key" || lastSeen[kind].has(id),
  };
}

/**
 * The address that a client's requests are counted under: an IPv4 address, or the /64 of an IPv6
 * address, since one client usually has a whole /64. An IPv4-mapped address (`::ffff:192.0.2.1`) is
 * the IPv4 address; zones are ignored.
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
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff")
    return `${groups.slice(0, 4).join(":")}::/64`;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
