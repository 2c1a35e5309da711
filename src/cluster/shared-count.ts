import {
  type Counter,
  createWindows,
  type RateLimiter,
  type RateLimitOptions,
  type RateLimitResult,
  rateLimitResult,
} from "../server/rate-limiter.js";

// One rate limit over several workers: the primary counts. A worker asks at once for all requests
// that have arrived while it waited for the answer before, and gets some permits in advance. Those
// that it does not use are lost.

interface Ask {
  readonly counter: Counter;
  /** 0 only asks how many there are. */
  readonly requests: number;
}

export interface CountRequest {
  readonly kind: "count";
  readonly asks: readonly Ask[];
}

interface Count {
  /** Requests in the window before these. */
  readonly before: number;
  /** Further requests that the worker may admit in the window: they are counted. */
  readonly permits: number;
  /** Milliseconds until the window ends. */
  readonly timeLeft: number;
}

/** The answer, in the same order. */
export interface CountAnswer {
  readonly kind: "counted";
  readonly counts: readonly Count[];
}

/**
 * For limits up to 10,000; above that, a hundredth of the limit. Asking for every 100 requests took
 * a third of the CPU time.
 */
const MAX_PERMITS = 100;
/** All workers together get 1/8 of the rest of a window in advance. */
const SHARE = 8;

/** The primary's side. @param ticks monotonic clock in milliseconds */
export function createSharedCount(
  { limit, workers, ...options }: RateLimitOptions & { workers: number },
  ticks: () => number,
): (request: CountRequest) => CountAnswer {
  const windows = createWindows(options);
  const maxPermits = Math.max(MAX_PERMITS, Math.floor(limit / 100));
  const count = ({ counter, requests }: Ask): Count => {
    const now = Math.floor(ticks());
    if (requests === 0) return { before: windows.countOf(counter, now), permits: 0, timeLeft: 0 };
    const window = windows.enter(counter, now);
    const before = window.count;
    const share = Math.floor((limit - before - requests) / (SHARE * workers));
    const permits = window.isShared ? 0 : Math.min(Math.max(0, share), maxPermits);
    window.count += requests + permits;
    return { before, permits, timeLeft: window.end - now };
  };
  return ({ asks }) => ({ kind: "counted", counts: asks.map(count) });
}

export interface WorkerLimiter extends RateLimiter {
  /** Takes an answer of the primary. */
  receive(answer: CountAnswer): void;
}

/** Permits to use before `end`. */
interface Permits {
  left: number;
  /** Requests in the window that are counted. */
  readonly counted: number;
  readonly end: number;
}

/** Who waits to hear of a counter. */
interface Waiting {
  readonly counter: Counter;
  readonly requests: ((result: RateLimitResult) => void)[];
  readonly questions: ((isUsedUp: boolean) => void)[];
}

/**
 * A worker's side.
 *
 * @param ticks monotonic clock in milliseconds
 * @param send sends to the primary
 */
export function createWorkerLimiter(
  limit: number,
  ticks: () => number,
  send: (request: CountRequest) => void,
): WorkerLimiter {
  if (limit === 0) return { count: () => ({}), isUsedUp: () => false, receive: () => {} };
  /** In the order in which they came, so about that of their ends. */
  const permits = new Map<string, Permits>();
  let waiting = new Map<string, Waiting>();
  let asked: [name: string, Waiting][] = [];
  let askedAt = 0;
  let isAsking = false;

  const ask = () => {
    askedAt = ticks();
    // The last answer may have brought permits.
    for (const { counter, requests } of waiting.values())
      for (const resolve of requests.splice(0, usable(counter)?.left ?? 0))
        resolve(take(counter) as RateLimitResult);
    asked = [...waiting].filter(
      ([, { requests, questions }]) => requests.length + questions.length > 0,
    );
    waiting = new Map();
    isAsking = asked.length > 0;
    if (!isAsking) return;
    send({
      kind: "count",
      asks: asked.map(([, { counter, requests }]) => ({ counter, requests: requests.length })),
    });
  };
  const waitFor = (counter: Counter) => {
    const name = nameOf(counter);
    const entry = waiting.get(name) ?? { counter, requests: [], questions: [] };
    waiting.set(name, entry);
    if (!isAsking) setImmediate(ask);
    isAsking = true;
    return entry;
  };
  const usable = (counter: Counter) => {
    const found = permits.get(nameOf(counter));
    return found && found.left > 0 && found.end > ticks() ? found : undefined;
  };
  const take = (counter: Counter) => {
    const found = usable(counter);
    if (!found) return undefined;
    found.left--;
    return rateLimitResult(limit, found.counted - found.left, found.end - ticks());
  };
  const settle = (name: string, { requests, questions }: Waiting, count: Count) => {
    const { before, timeLeft } = count;
    for (const resolve of questions) resolve(before >= limit);
    for (const [place, resolve] of requests.entries())
      resolve(rateLimitResult(limit, before + place + 1, timeLeft));
    permits.delete(name);
    // The primary's window ends later by the time that the question took to arrive.
    const end = askedAt + timeLeft;
    if (count.permits > 0)
      permits.set(name, {
        left: count.permits,
        counted: before + requests.length + count.permits,
        end,
      });
  };
  const dropEnded = () => {
    for (const [name, { end }] of permits) {
      if (end > askedAt) return;
      permits.delete(name);
    }
  };
  return {
    count: (counter) =>
      take(counter) ?? new Promise((resolve) => waitFor(counter).requests.push(resolve)),
    isUsedUp: (counter) =>
      usable(counter) ? false : new Promise((resolve) => waitFor(counter).questions.push(resolve)),
    receive({ counts }) {
      dropEnded();
      for (const [index, [name, entry]] of asked.entries()) {
        const count = counts[index];
        if (count) settle(name, entry, count);
      }
      ask();
    },
  };
}

function nameOf({ kind, id }: Counter): string {
  return `${kind} ${id}`;
}
