import { setTimeout as delay } from "node:timers/promises";
import { sumsOf } from "./aggregate.js";
import type { MetricsJson } from "./registry.js";

interface WorkerState {
  readonly ask: () => void;
  /** What it has last told. */
  last: MetricsJson;
  /** Called when it has told more, or has ended. */
  onTold: () => void;
}

/**
 * The metrics of worker processes. A worker that is too busy to tell them, or that has ended, counts with what it has last
 * told, so that no sum goes down.
 */
export class WorkerMetrics {
  readonly #waitMs: number;
  readonly #workers = new Map<object, WorkerState>();
  /** What the workers that have ended had told. */
  #ended: MetricsJson[] = [];

  /** @param waitMs the time that a worker has to tell its metrics */
  constructor(waitMs = 1_000) {
    this.#waitMs = waitMs;
  }

  /** @param ask makes the worker tell its metrics */
  add(worker: object, ask: () => void): void {
    this.#workers.set(worker, { ask, last: [], onTold: () => {} });
  }

  receive(worker: object, metrics: MetricsJson): void {
    const state = this.#workers.get(worker);
    if (!state) return;
    state.last = metrics;
    state.onTold();
  }

  remove(worker: object): void {
    const state = this.#workers.get(worker);
    if (!state) return;
    this.#workers.delete(worker);
    this.#ended.push(state.last);
    state.onTold();
  }

  /** Resolves to the metrics of each worker. Call again only after that. */
  async collect(): Promise<MetricsJson[]> {
    const told = [...this.#workers.values()].map((state) => {
      return new Promise<void>((resolve) => {
        state.onTold = resolve;
        state.ask();
      });
    });
    const given = new AbortController();
    await Promise.race([Promise.all(told), delay(this.#waitMs, undefined, { signal: given.signal }).catch(() => {})]);
    given.abort();
    const ended = this.#ended;
    const sums = await sumsOf(ended);
    // Others may have ended in the meantime.
    this.#ended = [sums, ...this.#ended.slice(ended.length)];
    return [...this.#ended, ...[...this.#workers.values()].map(({ last }) => last)];
  }
}
