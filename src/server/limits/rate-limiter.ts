import { DEFAULT_RATE_LIMIT, DEFAULT_RATE_WINDOW } from "../../model/defaults.js";
import {
  LIMIT_HEADER,
  type RateLimit,
  REMAINING_HEADER,
  RESET_HEADER,
  RETRY_AFTER_HEADER,
} from "../../model/reads/http-headers.js";

export interface RateLimitOptions {
  /** Requests allowed in one window, 0 for no limit. Default 7,500. */
  rateLimit?: number;
  /**
   * Length of that window in seconds; it starts with a counter's first request.
   * Default 60.
   */
  rateWindow?: number;
}

/**
 * What is counted: requests of an API key, of an address, or of an address for
 * `/healthz`.
 */
export interface CounterKey {
  kind: "key" | "address" | "health";
  /** The API key, or the address as `clientAddress` returns it. */
  id: string;
}

export type OnDecision = (kind: CounterKey["kind"], isAllowed: boolean) => void;

/**
 * The largest number of addresses with their own counters. A million would take
 * 0.3 GB.
 */
const MAX_ADDRESSES = 10_000;

export class RateLimiter {
  readonly #limit: number;
  readonly #ticks: () => number;
  readonly #onDecision: OnDecision | undefined;
  readonly #windows: Readonly<Record<CounterKey["kind"], CounterWindows>>;

  /** @param ticks monotonic clock in milliseconds */
  constructor(
    { rateLimit = DEFAULT_RATE_LIMIT, rateWindow = DEFAULT_RATE_WINDOW }: RateLimitOptions,
    ticks: () => number,
    onDecision?: OnDecision,
  ) {
    this.#limit = rateLimit;
    this.#ticks = ticks;
    this.#onDecision = onDecision;
    const lengthMs = rateWindow * 1_000;
    this.#windows = {
      key: new CounterWindows(lengthMs, Number.POSITIVE_INFINITY),
      address: new CounterWindows(lengthMs, MAX_ADDRESSES),
      health: new CounterWindows(lengthMs, MAX_ADDRESSES),
    };
  }

  /**
   * Returns the rate limit, if there is one. For a request that exceeds it, also
   * returns the seconds until the next one is allowed.
   */
  count({ kind, id }: CounterKey): { rateLimit?: RateLimit; retryAfter?: number } {
    const limit = this.#limit;
    if (limit === 0) return {};
    // Rounded: a floating-point error could add a second to the window in the
    // headers.
    const now = Math.floor(this.#ticks());
    const { count, end } = this.#windows[kind].count(id, now);
    const reset = Math.ceil((end - now) / 1_000);
    const rateLimit = { limit, remaining: Math.max(0, limit - count), reset };
    this.#onDecision?.(kind, count <= limit);
    return count > limit ? { rateLimit, retryAfter: reset } : { rateLimit };
  }

  /**
   * Whether the next request will exceed the limit; `false` for an id that
   * shares its counter.
   */
  isUsedUp({ kind, id }: CounterKey): boolean {
    const count = this.#windows[kind].current(id, this.#ticks())?.count ?? 0;
    return this.#limit > 0 && count >= this.#limit;
  }
}

/**
 * Returns a list of names and values in turn.
 *
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

interface Window {
  count: number;
  /** Milliseconds on the monotonic clock. */
  end: number;
}

/**
 * The counters of one kind. Once there are too many, other ids share one.
 * Requests from many addresses can't take the counter of an id that sends a
 * request in every window.
 */
class CounterWindows {
  readonly #lengthMs: number;
  readonly #max: number;
  /** The window that ends first comes first. */
  readonly #windows = new Map<string, Window>();
  readonly #shared: Window = { count: 0, end: 0 };

  constructor(lengthMs: number, max: number) {
    this.#lengthMs = lengthMs;
    this.#max = max;
  }

  count(id: string, now: number): Readonly<Window> {
    const window = this.current(id, now) ?? this.#begin(id, now);
    window.count++;
    return window;
  }

  /** Returns the current window of an id's own counter. */
  current(id: string, now: number): Window | undefined {
    const window = this.#windows.get(id);
    return window && window.end > now ? window : undefined;
  }

  /** Begins a window of an id, or returns the shared one. */
  #begin(id: string, now: number): Window {
    if (!this.#windows.delete(id)) this.#dropUnused(now);
    const isFull = this.#windows.size >= this.#max;
    const window = isFull ? this.#shared : { count: 0, end: 0 };
    if (!isFull) this.#windows.set(id, window);
    if (window.end <= now) {
      window.count = 0;
      window.end = now + this.#lengthMs;
    }
    return window;
  }

  #dropUnused(now: number): void {
    for (const [id, { end }] of this.#windows) {
      if (now - end <= this.#lengthMs) return;
      this.#windows.delete(id);
    }
  }
}
