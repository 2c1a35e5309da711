import {
  type Counter,
  createWindows,
  type RateLimitOptions,
  type Window,
  type Windows,
} from "../server/rate-limiter.js";
import type { Ask, GiveBack, LeaseAnswer } from "./leases.js";

interface LeaseBookOptions<Worker> extends RateLimitOptions {
  /** Number of workers. */
  workers: number;
  /** Monotonic clock in milliseconds. */
  ticks: () => number;
  send: (worker: Worker, answer: LeaseAnswer) => void;
}

const MAX_LEASE = 1_000;
/** All workers together may hold 1/8 of what remains. */
const LEASED_SHARE = 8;
/** Clients may be told 1/8 too few, so that the other workers need not hear of each lease. */
const UNTOLD_SHARE = 8;
/** The time to answer a recall: requests to other workers must not wait for one that hangs. */
const MAX_RECALL_MS = 1_000;

/** What a worker has of one window. */
interface Holder {
  /** The size of its last lease; 0 once that is known to be used up. */
  lease: number;
  /** The remaining requests that it was told of. */
  told: number;
}

interface Leases<Worker> {
  /** The workers that have asked in this window. */
  readonly holders: Map<Worker, Holder>;
  recall?: Recall<Worker> | undefined;
}

/** Nothing is left to grant, but workers may return a part of their leases. */
interface Recall<Worker> {
  readonly id: number;
  readonly window: Window;
  /** The workers that have not answered yet. */
  readonly from: Set<Worker>;
  /** What is decided afterwards. */
  readonly asks: [Worker, Ask][];
}

/**
 * The primary's side of a rate limit: exactly `limit` requests of a counter are admitted in a window. Before one is
 * refused, what other workers have left of their leases is recalled. What a worker does not return in time, and what one
 * has that ends, counts as used.
 *
 * @typeParam Worker what identifies a worker; a replacement is another one
 */
export class LeaseBook<Worker> {
  readonly #options: LeaseBookOptions<Worker>;
  readonly #windows: Windows;
  readonly #leases = new WeakMap<Window, Leases<Worker>>();
  readonly #members = new Set<Worker>();
  readonly #recalls = new Map<number, Recall<Worker>>();
  #lastRecall = 0;

  constructor(options: LeaseBookOptions<Worker>) {
    this.#options = options;
    // Requests within a lease are not seen here, but at least one in a window is: an address that sends requests in every
    // window is seen in any two.
    this.#windows = createWindows(options, 2);
  }

  add(worker: Worker): void {
    this.#members.add(worker);
  }

  /** Forgets a worker that has ended. What is left of its leases counts as used. */
  remove(worker: Worker): void {
    this.#members.delete(worker);
    for (const recall of this.#recalls.values()) this.#endRecall(recall, worker);
  }

  ask(worker: Worker, ask: Ask): void {
    if (!this.#members.has(worker)) return;
    const now = Math.floor(this.#options.ticks());
    const window = this.#windows.enter(ask.counter, now);
    const left = this.#options.limit - window.count;
    // Nothing is lent of a counter that others share: it would have to be recalled under all of their addresses.
    if (window.isShared)
      return void this.#grant(worker, ask.counter, { window, now, size: Math.min(left, ask.waiting) });
    const leases = this.#leasesOf(window);
    const { holders } = leases;
    // A worker asks when it has used its lease up.
    holders.set(worker, { lease: 0, told: holders.get(worker)?.told ?? 0 });
    if (leases.recall) return void leases.recall.asks.push([worker, ask]);
    const lenders = [...holders].filter(([other, { lease }]) => lease > 0 && this.#members.has(other));
    if (left <= 0 && lenders.length > 0) {
      const recall = { id: ++this.#lastRecall, window, from: new Set(lenders.map(([other]) => other)), asks: [] };
      this.#recall(recall, worker, ask);
    } else {
      this.#grant(worker, ask.counter, { window, now, size: this.#sizeOf(ask, left) });
    }
  }

  /** The answer to a recall. */
  giveBack(worker: Worker, { recall: id, unused }: GiveBack): void {
    const recall = this.#recalls.get(id);
    if (recall?.from.has(worker)) this.#settle(recall, worker, unused);
  }

  /** Ends a lease. @param unused what is left of it */
  #settle(recall: Recall<Worker>, worker: Worker, unused: number): void {
    const holder = this.#leasesOf(recall.window).holders.get(worker);
    if (holder) {
      recall.window.count -= Math.min(unused, holder.lease);
      holder.lease = 0;
    }
    this.#endRecall(recall, worker);
  }

  /** All that waits is granted; more than that in small steps, since it may stay unused while another worker needs it. */
  #sizeOf({ waiting, wanted }: Ask, left: number): number {
    const share = Math.floor(left / (LEASED_SHARE * this.#options.workers));
    return Math.min(left, Math.max(1, waiting, Math.min(wanted, share, MAX_LEASE)));
  }

  #grant(worker: Worker, counter: Counter, { window, now, size }: { window: Window; now: number; size: number }): void {
    const { isShared } = window;
    window.count += size;
    const left = this.#options.limit - window.count;
    const remaining = isShared ? left : this.#tell(worker, counter, { window, left, lease: size });
    const timeLeft = window.end - now;
    this.#options.send(worker, { kind: "lease", counter, granted: size, remaining, timeLeft, isShared });
  }

  /** Records a lease, and announces what remains to the workers that were told of more. @returns what its worker is told */
  #tell(
    worker: Worker,
    counter: Counter,
    { window, left, lease }: { window: Window; left: number; lease: number },
  ): number {
    const { holders } = this.#leasesOf(window);
    const told = holders.size > 1 ? left - Math.floor(left / UNTOLD_SHARE) : left;
    holders.set(worker, { lease, told });
    for (const [other, holder] of holders) {
      if (holder.told <= left || other === worker || !this.#members.has(other)) continue;
      holder.told = told;
      this.#options.send(other, { kind: "remaining", counter, remaining: told });
    }
    return told;
  }

  #recall(recall: Recall<Worker>, worker: Worker, ask: Ask): void {
    recall.asks.push([worker, ask]);
    this.#leasesOf(recall.window).recall = recall;
    this.#recalls.set(recall.id, recall);
    for (const lender of recall.from) {
      this.#options.send(lender, { kind: "recall", recall: recall.id, counter: ask.counter });
    }
    setTimeout(() => {
      for (const lender of recall.from) this.#settle(recall, lender, 0);
    }, MAX_RECALL_MS).unref();
  }

  #endRecall(recall: Recall<Worker>, worker: Worker): void {
    if (!recall.from.delete(worker) || recall.from.size > 0) return;
    this.#recalls.delete(recall.id);
    this.#leasesOf(recall.window).recall = undefined;
    for (const [asker, ask] of recall.asks) this.ask(asker, ask);
  }

  #leasesOf(window: Window): Leases<Worker> {
    const leases = this.#leases.get(window) ?? { holders: new Map() };
    this.#leases.set(window, leases);
    return leases;
  }
}
