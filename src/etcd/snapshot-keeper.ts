import { setTimeout as delay } from "node:timers/promises";
import type { SealedFile } from "../files/sealed-file.js";

/** Between two writes. A large snapshot takes long, so the disk has a rest of nine times the last write. */
const MIN_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 9;
/** Between two confirmations of the same data. */
const CONFIRM_MS = 30_000;

interface SnapshotKeeperOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Called once when snapshots can't be kept. */
  onFailure: (error: unknown) => void;
}

/** Keeps the last data of a store in a file while it is followed. A failure is reported once, and does not end anything. */
export class SnapshotKeeper {
  readonly #file: SealedFile;
  readonly #options: SnapshotKeeperOptions;
  readonly #closed = new AbortController();
  /** The data to write, and since when it is the newest. */
  #next: { bytes: Buffer; savedAt: number } | undefined;
  #working: Promise<void> | undefined;
  #confirmedAt = 0;
  #hasFailed = false;

  constructor(file: SealedFile, options: SnapshotKeeperOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** @param bytes not to be changed any more */
  keep(bytes: Buffer): void {
    this.#next = { bytes, savedAt: this.#options.clock() };
    this.#work();
  }

  /** The data that was last given is still the newest. */
  confirm(): void {
    const now = this.#options.clock();
    if (this.#next) this.#next.savedAt = now;
    else if (now - this.#confirmedAt >= CONFIRM_MS) {
      this.#confirmedAt = now;
      this.#work();
    }
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#working;
    await this.#write();
  }

  #work(): void {
    this.#working ??= this.#workUntilDone().finally(() => {
      this.#working = undefined;
    });
  }

  async #workUntilDone(): Promise<void> {
    do {
      const startedAt = performance.now();
      await this.#write();
      const pause = Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt));
      await delay(pause, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {});
    } while (this.#next && !this.#closed.signal.aborted);
  }

  async #write(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    try {
      if (next) {
        this.#confirmedAt = next.savedAt;
        await this.#file.write(next.bytes, next.savedAt);
        this.#hasFailed = false;
      } else if (this.#confirmedAt > 0 && !this.#hasFailed) await this.#file.confirm(this.#confirmedAt);
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
    }
  }
}
