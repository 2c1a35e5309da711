import {
  type Counter,
  createWindows,
  type RateLimiter,
  type RateLimitOptions,
  type RateLimitResult,
  rateLimitResult,
} from "../server/rate-limiter.js";

// One rate limit over several workers: the primary counts. A worker asks at once for all requests that have arrived
// while it waited for the answer before.

interface Ask {
  readonly counter: Counter;
  /** 0 only asks how many there are. */
  readonly requests: number;
}

export interface CountRequest {
  readonly kind: "count";
  readonly asks: readonly Ask[];
}

/** The answer, in the same order. */
export interface CountAnswer {
  readonly kind: "counted";
  readonly counts: readonly {
    /** Requests in the window before these. */
    readonly before: number;
    /** Milliseconds until the window ends. */
    readonly timeLeft: number;
  }[];
}

/** The primary's side. @param ticks monotonic clock in milliseconds */
export function createSharedCount(
  options: Omit<RateLimitOptions, "limit">,
  ticks: () => number,
): (request: CountRequest) => CountAnswer {
  const windows = createWindows(options);
  const count = ({ counter, requests }: Ask) => {
    const now = Math.floor(ticks());
    if (requests === 0) return { before: windows.countOf(counter, now), timeLeft: 0 };
    const window = windows.enter(counter, now);
    const before = window.count;
    window.count += requests;
    return { before, timeLeft: window.end - now };
  };
  return ({ asks }) => ({ kind: "counted", counts: asks.map(count) });
}

export interface WorkerLimiter extends RateLimiter {
  /** Takes an answer of the primary. */
  receive(answer: CountAnswer): void;
}

/** Who waits to hear of a counter. */
interface Waiting {
  readonly counter: Counter;
  readonly requests: ((result: RateLimitResult) => void)[];
  readonly questions: ((isUsedUp: boolean) => void)[];
}

/** A worker's side. @param send sends to the primary */
export function createWorkerLimiter(limit: number, send: (request: CountRequest) => void): WorkerLimiter {
  if (limit === 0) return { count: () => ({}), isUsedUp: () => false, receive: () => {} };
  let waiting = new Map<string, Waiting>();
  let asked: Waiting[] = [];
  let isAsking = false;

  const ask = () => {
    asked = [...waiting.values()];
    waiting = new Map();
    isAsking = asked.length > 0;
    if (!isAsking) return;
    send({ kind: "count", asks: asked.map(({ counter, requests }) => ({ counter, requests: requests.length })) });
  };
  const waitingFor = (counter: Counter) => {
    const name = `${counter.kind} ${counter.id}`;
    const entry = waiting.get(name) ?? { counter, requests: [], questions: [] };
    waiting.set(name, entry);
    if (!isAsking) setImmediate(ask);
    isAsking = true;
    return entry;
  };
  return {
    count: (counter) => new Promise((resolve) => waitingFor(counter).requests.push(resolve)),
    isUsedUp: (counter) => new Promise((resolve) => waitingFor(counter).questions.push(resolve)),
    receive({ counts }) {
      for (const [index, { before, timeLeft }] of counts.entries()) {
        const { requests = [], questions = [] } = asked[index] ?? {};
        for (const resolve of questions) resolve(before >= limit);
        for (const [place, resolve] of requests.entries())
          resolve(rateLimitResult(limit, before + place + 1, timeLeft));
      }
      ask();
    },
  };
}
