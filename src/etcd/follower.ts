import { setTimeout as delay } from "node:timers/promises";
import { CompactedError } from "./answers.js";
import { type CommitTarget, endOf } from "./commit.js";
import { HEAD_KEY } from "./records.js";
import type { StoreState } from "./store-state.js";
import type { Times } from "./times.js";

/** Between two watches. */
const MAX_PAUSE_MS = 1_000;

interface Watch {
  readonly abort: AbortController;
  readonly endpoint: string;
  readonly startedAt: number;
}

interface FollowerOptions {
  target: CommitTarget;
  times: Times;
  ticks: () => number;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Keeps the state of a store up to date. A watch delivers the changes, but it is only a hint, since a member may hang or
 * be cut off: every few seconds the newest head, from a majority of the members, tells whether something is missing. Then
 * everything is read again.
 */
export class Follower {
  readonly #state: StoreState;
  readonly #options: FollowerOptions;
  #watch: Watch | undefined;

  constructor(state: StoreState, options: FollowerOptions) {
    this.#state = state;
    this.#options = options;
  }

  /** Resolves after the signal. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    const endWatch = () => this.#watch?.abort.abort();
    this.#state.isFollowed = true;
    // Another watch begins after the last read.
    this.#state.onReplaced = endWatch;
    signal.addEventListener("abort", endWatch);
    await Promise.all([this.#watchAll(), this.#compareAll()]);
  }

  async #watchAll(): Promise<void> {
    const { target, ticks, signal } = this.#options;
    const state = this.#state;
    let pause = 0;
    for (;;) {
      await delay(pause, undefined, { signal }).catch(() => {});
      pause = Math.min(MAX_PAUSE_MS, 2 * pause + 50);
      if (signal.aborted) return;
      // Nothing has been read yet, or it can't be used: the next comparison reads it.
      if (state.isBroken || state.records.isEmpty || !(await this.#hasSameHistory())) continue;
      const abort = new AbortController();
      this.#watch = { abort, endpoint: target.gateway.endpoint, startedAt: ticks() };
      const { revision, clusterId } = state;
      const range = { key: target.prefix, end: endOf(target.prefix), from: revision + 1, clusterId };
      try {
        for await (const changes of target.gateway.watch(range, abort.signal)) {
          if (abort.signal.aborted) break;
          pause = 0;
          state.receive(changes);
        }
      } catch (error) {
        // The next comparison finds all that is missing.
        if (error instanceof CompactedError) await state.reload();
      }
      if (abort.signal.aborted) pause = 0;
      abort.abort();
    }
  }

  /**
   * Whether the changes from here on belong to the data that is known. A cluster that was restored from a backup goes on
   * with others, and mostly has the same id as before.
   */
  async #hasSameHistory(): Promise<boolean> {
    const { target, times, signal } = this.#options;
    const state = this.#state;
    const { revision, records } = state;
    try {
      const range = { key: target.prefix + HEAD_KEY, revision, within: times.pollRequest };
      const { entries } = await target.gateway.range(range, signal);
      if (records !== state.records || revision !== state.revision) return false;
      const isLater = (entries[0]?.modRevision ?? 0) > records.headRevision;
      if (!isLater && !state.isOtherHead(revision, entries[0])) return true;
      state.forget();
      await state.reload();
    } catch (error) {
      if (error instanceof CompactedError) await state.reload();
    }
    return false;
  }

  async #compareAll(): Promise<void> {
    const { times, signal } = this.#options;
    for (;;) {
      await delay(times.poll, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#compare().catch((error: Error) => this.#state.fail(error));
    }
  }

  async #compare(): Promise<void> {
    const { target, times, ticks, signal } = this.#options;
    const state = this.#state;
    const [startedAt, before] = [ticks(), state.revision];
    const request = { key: target.prefix + HEAD_KEY, within: times.pollRequest };
    const { clusterId, revision, entries } = await target.gateway.range(request, signal);
    const headRevision = entries[0]?.modRevision ?? 0;
    // A cluster that was restored from a backup may have the id of the one before, if its settings are the same.
    const isOther = clusterId !== state.clusterId || revision < before || state.isOtherHead(revision, entries[0]);
    if (!isOther && !state.isBroken && headRevision !== state.records.headRevision)
      await delay(times.watchDelay, undefined, { signal }).catch(() => {});
    if (isOther) state.forget();
    if (state.isBroken || state.records.headRevision < headRevision) await state.reload();
    await state.published();
    state.confirmHead(headRevision, startedAt);
    this.#renewWatch(startedAt);
  }

  /** Ends a watch of a member that has failed in the meantime, and one that may have missed a change without a head. */
  #renewWatch(now: number): void {
    const watch = this.#watch;
    if (!watch) return;
    const isOld = now - watch.startedAt > this.#options.times.watch;
    if (isOld || watch.endpoint !== this.#options.target.gateway.endpoint) watch.abort.abort();
  }
}
