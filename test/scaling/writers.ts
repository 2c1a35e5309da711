import { onTestFinished } from "vitest";
import { type EtcdConnection, openEtcdStore } from "../../src/etcd/open-store.js";
import type { Data } from "../../src/store/data.js";
import type { EditableStore } from "../../src/store/store.js";
import { countIn, increment } from "./counters.js";

/** The outcome of the writes. */
export interface Written {
  /** Writes that were acknowledged, and those of them that are not in the data. */
  readonly acknowledged: number;
  readonly lost: number;
  /** How often a write was applied once more. */
  readonly repeated: number;
  /** The errors of other writes. */
  readonly errors: readonly string[];
  /** The longest time in milliseconds without an acknowledged write. */
  readonly longestGap: number;
  /** That of the slowest write. */
  readonly slowest: number;
}

interface Writer {
  readonly store: EditableStore;
  acknowledged: number;
  failed: number;
}

/**
 * Adds 1 to the first counters, each in a loop of its own and through a store of its own, until the
 * test ends.
 */
export async function startWriters(access: EtcdConnection, count: number): Promise<Writers> {
  return new Writers(await Promise.all(Array.from({ length: count }, () => openEtcdStore(access))));
}

export class Writers {
  readonly #writers: readonly Writer[];
  readonly #writing: Promise<unknown>;
  readonly #errors: string[] = [];
  readonly #waiting = new Set<() => void>();
  #isOver = false;
  #lastAt = performance.now();
  #longestGap = 0;
  #slowest = 0;

  constructor(stores: readonly EditableStore[]) {
    this.#writers = stores.map((store) => ({ store, acknowledged: 0, failed: 0 }));
    this.#writing = Promise.all(this.#writers.map((writer, index) => this.#write(writer, index)));
    onTestFinished(() => this.stop());
  }

  /** Resolves once so many more writes are acknowledged. */
  async progress(count: number): Promise<void> {
    for (let left = count; left > 0; left--)
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Resolves once the writes that have begun have ended. */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#writing;
    await Promise.all(this.#writers.map(({ store }) => store.close()));
  }

  /** Compares the acknowledged writes with the data; call it after `stop`. */
  compareWith(data: Data): Written {
    const sum = (excess: (writer: Writer, count: number) => number) =>
      this.#writers.reduce(
        (total, writer, index) => total + Math.max(0, excess(writer, countIn(data, index))),
        0,
      );
    return {
      acknowledged: sum(({ acknowledged }) => acknowledged),
      lost: sum(({ acknowledged }, count) => acknowledged - count),
      // A write that failed may have been applied.
      repeated: sum(({ acknowledged, failed }, count) => count - acknowledged - failed),
      errors: this.#errors,
      longestGap: this.#longestGap,
      slowest: this.#slowest,
    };
  }

  async #write(writer: Writer, index: number): Promise<void> {
    while (!this.#isOver) {
      const start = performance.now();
      try {
        await increment(writer.store, index);
        writer.acknowledged++;
      } catch (error) {
        writer.failed++;
        this.#errors.push((error as Error).message);
        continue;
      }
      const now = performance.now();
      this.#slowest = Math.max(this.#slowest, now - start);
      this.#longestGap = Math.max(this.#longestGap, now - this.#lastAt);
      this.#lastAt = now;
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
  }
}
