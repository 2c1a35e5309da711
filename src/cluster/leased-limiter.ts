import type { Counter, RateLimiter, RateLimitOptions, RateLimitResult } from "../server/rate-limiter.js";
import type { Lease, LeaseAnswer, LeaseRequest } from "./leases.js";

export interface LeasedLimiter extends RateLimiter {
  /** Takes a message from the primary. */
  receive(answer: LeaseAnswer): void;
}

/** What a worker knows of a counter's current window. */
interface Entry {
  readonly counter: Counter;
  /** What is left of the lease. */
  available: number;
  /** The size of the last lease. */
  size: number;
  /** Requests that remain, besides the lease. */
  remaining: number;
  isRefused: boolean;
  /** The window ends between these two, since the primary has another clock. */
  minEnd: number;
  maxEnd: number;
  /** When the primary was asked, and for how many requests; undefined after its answer. */
  asked: { readonly at: number; readonly waiting: number } | undefined;
  /** Requests that wait for the answer, and calls of `isUsedUp`. */
  readonly requests: ((result: RateLimitResult) => void)[];
  readonly questions: ((isUsedUp: boolean) => void)[];
}

/**
 * A worker's side of a rate limit that is exact over all workers. It asks the primary for leases, which grow while a
 * counter is busy. Requests that a lease has nothing left for wait for the next one together.
 *
 * @param ticks monotonic clock in milliseconds
 * @param send sends to the primary
 */
export function createLeasedLimiter(
  { limit }: Pick<RateLimitOptions, "limit">,
  ticks: () => number,
  send: (request: LeaseRequest) => void,
): LeasedLimiter {
  if (limit === 0) return { count: () => ({}), isUsedUp: () => false, receive: () => {} };
  // In the order in which they were leased: so none stays for much longer than a window after its last lease.
  const entries = new Map<string, Entry>();
  // Rounded, as in one process.
  const time = () => Math.floor(ticks());

  return {
    count(counter) {
      const now = time();
      const entry = enter(counter, now);
      if (entry.available > 0) return take(entry, now);
      if (entry.isRefused) return refuse(entry, now);
      return new Promise((resolve) => {
        entry.requests.push(resolve);
        ask(entry, now);
      });
    },
    isUsedUp(counter) {
      const now = time();
      const entry = enter(counter, now);
      if (entry.available > 0 || entry.isRefused) return entry.isRefused;
      return new Promise((resolve) => {
        entry.questions.push(resolve);
        ask(entry, now);
      });
    },
    receive(answer) {
      const entry = entries.get(nameOf(answer.counter));
      if (answer.kind === "lease") {
        if (entry) settle(entry, answer);
      } else if (answer.kind === "remaining") {
        if (entry) entry.remaining = answer.remaining;
      } else {
        send({ kind: "give-back", recall: answer.recall, unused: entry?.available ?? 0 });
        if (entry) entry.available = 0;
      }
    },
  };

  function enter(counter: Counter, now: number): Entry {
    for (const [name, { minEnd }] of entries) {
      if (minEnd > now) break;
      entries.delete(name);
    }
    const name = nameOf(counter);
    const known = entries.get(name);
    if (known && known.minEnd > now) return known;
    const entry = newEntry(counter);
    entries.set(name, entry);
    return entry;
  }

  function take(entry: Entry, now: number): RateLimitResult {
    entry.available--;
    return { rateLimit: { limit, remaining: entry.remaining + entry.available, reset: secondsLeft(entry, now) } };
  }

  function refuse(entry: Entry, now: number): RateLimitResult {
    const reset = secondsLeft(entry, now);
    return { rateLimit: { limit, remaining: 0, reset }, retryAfter: reset };
  }

  /** For everything that waits at the time. */
  function ask(entry: Entry, now: number): void {
    if (entry.asked) return;
    const { counter, size } = entry;
    const waiting = entry.requests.length;
    entry.asked = { at: now, waiting };
    // Kept until the answer, which may be of the next window.
    entry.minEnd = Number.POSITIVE_INFINITY;
    send({ kind: "ask", counter, waiting, wanted: Math.max(1, 2 * size) });
  }

  function settle(entry: Entry, { granted, remaining, timeLeft, isShared }: Lease): void {
    const now = time();
    const { at = now, waiting = 0 } = entry.asked ?? {};
    const isRefused = granted === 0 && !isShared;
    const lease = { available: granted, size: granted, remaining, isRefused };
    Object.assign(entry, lease, { minEnd: at + timeLeft, maxEnd: now + timeLeft, asked: undefined });
    // The answer may be of the next window: at its old place, it would keep those behind it for another one.
    entries.delete(nameOf(entry.counter));
    entries.set(nameOf(entry.counter), entry);
    for (const resolve of entry.questions.splice(0)) resolve(isRefused);
    for (const resolve of entry.requests.splice(0, granted)) resolve(take(entry, now));
    const isLimitReached = granted === 0 && (!isShared || waiting > 0);
    if (isLimitReached) for (const resolve of entry.requests.splice(0)) resolve(refuse(entry, now));
    if (entry.requests.length > 0) ask(entry, now);
    else if (isShared) entries.delete(nameOf(entry.counter));
  }
}

function newEntry(counter: Counter): Entry {
  const times = { minEnd: Number.POSITIVE_INFINITY, maxEnd: 0, asked: undefined };
  return { counter, available: 0, size: 0, remaining: 0, isRefused: false, ...times, requests: [], questions: [] };
}

function nameOf({ kind, id }: Counter): string {
  return `${kind} ${id}`;
}

/** Never too few: a client that waits for so long must not be refused again. */
function secondsLeft({ maxEnd }: Entry, now: number): number {
  return Math.ceil((maxEnd - now) / 1_000);
}
