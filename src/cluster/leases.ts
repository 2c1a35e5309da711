import type { Counter } from "../server/rate-limiter.js";

// One rate limit over several workers. The primary counts. A worker asks it for a lease: a number of requests that count
// as sent, and that the worker then admits without further messages.

/** A worker that has used its lease up asks for another one. */
export interface Ask {
  readonly kind: "ask";
  readonly counter: Counter;
  /** Requests that wait for the answer. */
  readonly waiting: number;
  /** The size of lease that would be useful, at least 1. */
  readonly wanted: number;
}

/** A worker returns what is left of its lease. */
export interface GiveBack {
  readonly kind: "give-back";
  readonly recall: number;
  readonly unused: number;
}

/** The answer to `Ask`. */
export interface Lease {
  readonly kind: "lease";
  readonly counter: Counter;
  /** 0 if the limit is reached. */
  readonly granted: number;
  /** As in `Remaining`. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly timeLeft: number;
  /** Whether addresses share the counter. Then the lease is for what waits, and is 0 if nothing does. */
  readonly isShared: boolean;
}

/** A worker shall answer this by `GiveBack`. */
interface RecallLease {
  readonly kind: "recall";
  readonly recall: number;
  readonly counter: Counter;
}

/** At least this many requests remain that no worker has a lease for. Holds until the next message. */
interface Remaining {
  readonly kind: "remaining";
  readonly counter: Counter;
  readonly remaining: number;
}

export type LeaseRequest = Ask | GiveBack;
export type LeaseAnswer = Lease | RecallLease | Remaining;
