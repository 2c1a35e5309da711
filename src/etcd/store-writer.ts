import { setTimeout as delay } from "node:timers/promises";
import { ServerError, UnreachableError } from "../domain/errors.js";
import type { Data } from "../store/data.js";
import { type CommitTarget, commitChanges, findWrite, finishPending } from "./commit.js";
import { UncertainError } from "./gateway.js";
import { newHead, newWriteId, type Pending } from "./head.js";
import type { RecordChanges } from "./records.js";
import type { StoreState } from "./store-state.js";
import type { Times } from "./times.js";

/**
 * Makes the next data from the records and the snapshot, which are of one version; undefined if there is nothing to write.
 * Called again when another writer was faster.
 */
export type Plan = () => { next: Data; changes: RecordChanges } | undefined;

interface Write {
  readonly id: string;
  /** By the clock of the writer. */
  readonly endsAt: number;
  /** The head that an attempt expected whose outcome is unknown: it may be carried out until the head is another. */
  uncertainSince: number | undefined;
}

interface WriterOptions {
  target: CommitTarget;
  times: Times;
  ticks: () => number;
  signal: AbortSignal;
}

/** Writes changes of a store, each exactly once, despite failed requests and other writers. */
export class StoreWriter {
  readonly #state: StoreState;
  readonly #options: WriterOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(state: StoreState, options: WriterOptions) {
    this.#state = state;
    this.#options = options;
  }

  /**
   * Makes one write after the other: those of one process don't compete. Resolves when the snapshot has it.
   *
   * @throws errors of `plan`; UsageError for a record that is too large; UnreachableError that tells if it is unknown
   *   whether it was made; otherwise it was not
   */
  write(plan: Plan): Promise<void> {
    const writing = this.#last.then(() => this.#writeUntilMade(plan));
    this.#last = writing.catch(() => {});
    return writing;
  }

  async #writeUntilMade(plan: Plan): Promise<void> {
    const { times, ticks } = this.#options;
    const write: Write = { id: newWriteId(), endsAt: ticks() + times.write, uncertainSince: undefined };
    try {
      for (let attempt = 0; !(await this.#tryToWrite(write, plan)); attempt++) {
        // Shorter with each attempt, so that a writer that has waited for long comes before the others.
        await delay(Math.random() * Math.max(5, 60 - 6 * attempt));
        await this.#state.load();
      }
    } catch (error) {
      if (write.uncertainSince === undefined) throw error;
      const { message } = error as Error;
      throw new UnreachableError(`${message}; it is not known whether the change was made`, { cause: error });
    }
  }

  /** @returns whether there is nothing left to do; otherwise everything has to be read again first */
  async #tryToWrite(write: Write, plan: Plan): Promise<boolean> {
    const { target } = this.#options;
    // In each step, the watch may change the records. The plan is made at once when there is no step left.
    for (let step = this.#nextStep(write); step; step = this.#nextStep(write)) {
      const outcome = await step;
      if (outcome !== "ready") return outcome === "made";
    }
    const planned = plan();
    if (!planned) return true;
    const { next, changes } = planned;
    const {
      version,
      records: { headRevision },
    } = this.#state;
    try {
      const made = await commitChanges(target, headRevision, newHead(next, write.id), changes);
      if (!made.succeeded) return false;
      // Otherwise the watch was faster.
      if (made.revision > this.#state.records.headRevision)
        this.#state.accept(changes, made.head, made.revision, { data: next, version });
      // It counts from now on. If this fails, the next writer finishes it.
      if (made.head.pending) await this.#finish(made.head.pending).catch(() => {});
      await this.#state.published();
      return true;
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      write.uncertainSince = headRevision;
      return false;
    }
  }

  /**
   * Does one thing that is left to do before a plan can be made: the records and the snapshot have to be of one version,
   * and earlier writes complete. Undefined if there is nothing left.
   */
  #nextStep(write: Write): Promise<"ready" | "made" | "outdated"> | undefined {
    const { ticks, signal } = this.#options;
    if (signal.aborted) throw new UnreachableError("the store was closed");
    if (ticks() > write.endsAt) throw new UnreachableError("the change could not be made in time");
    const { isBroken, isShown, records } = this.#state;
    if (isBroken) return this.#state.mend().then(() => "ready");
    if (!isShown) return this.#state.publish().then(() => "ready");
    if (write.uncertainSince !== undefined && write.uncertainSince < records.headRevision)
      return this.#lookFor(write, write.uncertainSince);
    const { pending } = records.head ?? {};
    return pending && this.#finish(pending).then((isDone) => (isDone ? "ready" : "outdated"));
  }

  /** Looks for an attempt with an unknown outcome, now that it can't be made any more. */
  async #lookFor(write: Write, since: number): Promise<"ready" | "made"> {
    const madeAt = await findWrite(this.#options.target, write.id, since);
    if (madeAt === undefined) {
      write.uncertainSince = undefined;
      return "ready";
    }
    await this.#loadSince(madeAt);
    return "made";
  }

  /**
   * Moves a pending write to the records.
   *
   * @returns whether it is done, and the records are not known to be outdated
   */
  async #finish({ id }: Pending): Promise<boolean> {
    const { head, headRevision } = this.#state.records;
    // Otherwise another writer has finished it, and may have made a pending write of its own.
    if (head?.pending?.id !== id) return true;
    try {
      const changes = this.#state.records.pendingChanges(head.pending);
      const done = await finishPending(this.#options.target, headRevision, head, changes);
      if (done && done.headRevision > this.#state.records.headRevision)
        this.#state.accept(new Map(), done.head, done.headRevision);
      return done !== undefined;
    } catch (error) {
      if (error instanceof UncertainError) return false;
      throw error;
    }
  }

  /** Reads again until the data has the write of a revision. */
  async #loadSince(revision: number): Promise<void> {
    const { times, ticks } = this.#options;
    const endsAt = ticks() + times.request;
    for (;;) {
      await this.#state.load();
      if (this.#state.records.headRevision >= revision) return;
      if (ticks() > endsAt) throw new ServerError("the store has gone back to earlier data", 200);
    }
  }
}
