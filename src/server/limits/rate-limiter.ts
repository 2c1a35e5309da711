import { isIPv4 } from "node:net";
import {
  LIMIT_HEADER,
  type RateLimit,
  REMAINING_HEADER,
  RESET_HEADER,
  RETRY_AFTER_HEADER,
} from "../../model/http-headers.js";

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

/** A counted request. */
interface RateLimitResult {
  /** `undefined` without a limit. */
  rateLimit?: RateLimit;
  /** Seconds until the next request is allowed; set if this one exceeds the limit. */
  retryAfter?: number;
}

export interface RateLimiter {
  count(counter: Counter): RateLimitResult;
  /**
   * Whether the next request will exceed the limit. Always false for an address without a counter
   * of its own.
   */
  isUsedUp(counter: Counter): boolean;
}

/**
 * About 600 bytes each: a million would take 0.6 GB, and block the server for half a second when
 * they expire.
 */
const MAX_ADDRESSES = 10_000;

/**
 * Counts requests in memory.
 *
 * @param ticks monotonic clock in milliseconds
 * @param onDecision called for each request that is counted
 */
export function createRateLimiter(
  { limit, window, maxAddresses = MAX_ADDRESSES }: RateLimitOptions,
  ticks: () => number,
  onDecision?: (kind: Counter["kind"], isAllowed: boolean) => void,
): RateLimiter {
  if (limit === 0) return { count: () => ({}), isUsedUp: () => false };
  const windows = {
    key: new Windows(window * 1_000, Number.POSITIVE_INFINITY),
    address: new Windows(window * 1_000, maxAddresses),
    health: new Windows(window * 1_000, maxAddresses),
  };
  return {
    count({ kind, id }) {
      // Rounded, or a floating-point error could make the window longer by a second in the headers.
      const now = Math.floor(ticks());
      const { count, end } = windows[kind].count(id, now);
      const reset = Math.ceil((end - now) / 1_000);
      const rateLimit = { limit, remaining: Math.max(0, limit - count), reset };
      onDecision?.(kind, count <= limit);
      return count > limit ? { rateLimit, retryAfter: reset } : { rateLimit };
    },
    isUsedUp: ({ kind, id }) => windows[kind].countOf(id, ticks()) >= limit,
  };
}

/**
 * Names and values in turn.
 *
 * @param rateLimit `undefined` without a limit
 * @param retryAfter seconds, for a 429: no requests are left until then
 */
export function rateLimitHeaders(rateLimit: RateLimit | undefined, retryAfter?: number): string[] {
  const wait = retryAfter === undefined ? [] : [RETRY_AFTER_HEADER, String(retryAfter)];
  if (!rateLimit) return wait;
  const { limit, remaining, reset } = rateLimit;
  return [
    ...[LIMIT_HEADER, String(limit)],
    ...[REMAINING_HEADER, String(retryAfter === undefined ? remaining : 0)],
    ...[RESET_HEADER, String(retryAfter ?? reset)],
    ...wait,
  ];
}

/** The requests that a counter has counted, for a time that starts with the first of them. */
interface Window {
  count: number;
  end: number;
  /** To the nearest 64th of a window. */
  lastSeen: number;
}

/**
 * The counters of one kind. A counter keeps its place while it counts a request in every window, so
 * nobody can reset one by sending from many addresses. Once all places are taken, other ids share
 * one counter. Times are in milliseconds on a monotonic clock.
 */
class Windows {
  readonly #lengthMs: number;
  readonly #maxPlaces: number;
  /** Until a counter moves to the end of the map again: with each request, it would cost 0.3 µs. */
  readonly #restMs: number;
  /** The least recently used first. */
  readonly #windows = new Map<string, Window>();
  readonly #others: Window = { count: 0, end: 0, lastSeen: 0 };

  constructor(lengthMs: number, maxPlaces: number) {
    this.#lengthMs = lengthMs;
    this.#maxPlaces = maxPlaces;
    this.#restMs = lengthMs / 64;
  }

  /** Counts a request. */
  count(id: string, now: number): Readonly<Window> {
    const window = this.#place(id, now) ?? this.#others;
    if (window.end <= now) {
      window.count = 0;
      window.end = now + this.#lengthMs;
    }
    window.count++;
    return window;
  }

  /** The requests in the current window of an id's own counter. */
  countOf(id: string, now: number): number {
    const window = this.#windows.get(id);
    return window && window.end > now ? window.count : 0;
  }

  #place(id: string, now: number): Window | undefined {
    const known = this.#windows.get(id);
    if (known && now - known.lastSeen < this.#restMs) return known;
    if (known) this.#windows.delete(id);
    else this.#dropUnused(now);
    if (this.#windows.size >= this.#maxPlaces) return undefined;
    const window = known ?? { count: 0, end: 0, lastSeen: now };
    window.lastSeen = now;
    this.#windows.set(id, window);
    return window;
  }

  #dropUnused(now: number): void {
    for (const [id, { lastSeen }] of this.#windows) {
      if (now - lastSeen <= this.#lengthMs + this.#restMs) return;
      this.#windows.delete(id);
    }
  }
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
