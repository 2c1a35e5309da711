import { createHash } from "node:crypto";
import {
  CircuitBreaker,
  type CircuitBreakerOptions,
  type StoreConnection,
} from "./circuit-breaker.js";
import {
  type Counter,
  createAddressPlaces,
  MAX_ADDRESSES,
  OTHERS,
  type RateLimiter,
  type RateLimitOptions,
  rateLimitResult,
} from "./rate-limiter.js";

/** The state of a counter in a store. */
export interface StoredCount {
  /** Requests in the current window; 0 if there is none. */
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly timeLeft: number;
}

export interface CounterConnection extends StoreConnection {
  /** Counts a request. */
  add(key: string): Promise<StoredCount>;
  read(key: string): Promise<StoredCount>;
}

/** Counters that several servers share. */
export type CounterStore = Pick<CircuitBreakerOptions<CounterConnection>, "connect" | "explain">;

export interface SharedLimiterOptions
  extends RateLimitOptions,
    Pick<CircuitBreakerOptions<CounterConnection>, "onChange"> {
  store: CounterStore;
  /** Counts while the store does not. */
  fallback: RateLimiter;
}

export interface SharedLimiter extends RateLimiter {
  /** Resolves once it is known whether the store counts. */
  readonly started: Promise<void>;
  /** Whether the store counts. */
  readonly isStoreUp: boolean;
  close(): void;
}

/** A counter of its own, which shows whether the store can write. */
const CHECK_KEY = "check";

/**
 * Counts in a store that several servers share. While it fails, each server counts on its own.
 *
 * @param ticks monotonic clock in milliseconds
 */
export function createSharedLimiter(
  options: SharedLimiterOptions,
  ticks: () => number,
): SharedLimiter {
  const { limit, window, maxAddresses = MAX_ADDRESSES, store, fallback, onChange } = options;
  const windowMs = window * 1_000;
  const places = createAddressPlaces(maxAddresses, windowMs);
  const state = async (answer: Promise<StoredCount>, least: number) =>
    valid(await answer, least, windowMs);
  const check = (connection: CounterConnection) => state(connection.add(CHECK_KEY), 1);
  const breaker = new CircuitBreaker({ ...store, check, onChange });

  return {
    started: breaker.started,
    get isStoreUp() {
      return breaker.isUp;
    },
    close: () => breaker.close(),
    async count(counter) {
      const counted = places.take(counter, Math.floor(ticks()))
        ? counter
        : { ...counter, id: OTHERS };
      const found = await breaker.ask((connection) => state(connection.add(keyOf(counted)), 1));
      return found ? rateLimitResult(limit, found.count, found.timeLeft) : fallback.count(counter);
    },
    async isUsedUp(counter) {
      if (!places.has(counter)) return false;
      const found = await breaker.ask((connection) => state(connection.read(keyOf(counter)), 0));
      return found ? found.count >= limit : fallback.isUsedUp(counter);
    },
  };
}

/**
 * @throws TypeError for values that can't be the state of a counter that has counted at least so
 *   many requests
 */
function valid({ count, timeLeft }: StoredCount, least: number, windowMs: number): StoredCount {
  const isValid =
    Number.isSafeInteger(count) &&
    count >= least &&
    Number.isSafeInteger(timeLeft) &&
    timeLeft >= 0;
  // Windows are longer for a while after the store's clock was set back.
  if (!isValid || timeLeft > 2 * windowMs) throw new TypeError("not the state of a counter");
  return { count, timeLeft: Math.min(Math.max(timeLeft, 1), windowMs) };
}

/**
 * Short for any id. It hides no address: all of IPv4 can be hashed, and servers share no secret to
 * key it with.
 */
function keyOf({ kind, id }: Counter): string {
  return `${kind}:${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
