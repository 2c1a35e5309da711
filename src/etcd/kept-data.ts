import { setTimeout as delay, setImmediate } from "node:timers/promises";
import type { SealedFile } from "../kit/files/sealed-file.js";
import { MAX_KEPT_S } from "../model/defaults.js";
import type { Data } from "../store/data.js";
import { dataPieces } from "../store/file/data-file.js";
import { parseApart } from "../store/file/parse-apart.js";

/**
 * The shortest pause between two writes, and how many times longer a pause is than the last write.
 */
const MIN_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 99;
/** The time between two confirmations of the same data. */
const CONFIRM_MS = 30_000;

/** The last data of a store, as it was kept on disk. */
export interface LastData {
  readonly data: Data;
  /** As `Store.version`. */
  readonly version: string;
  /** Milliseconds since it was last known to be the newest. */
  readonly age: number;
}

interface DataKeeperOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Called once when data can't be saved. */
  onFailure: (error: Error) => void;
}

/**
 * Keeps the last data of a store in a file while it is followed. A failure is reported once, and
 * does not end anything.
 */
export class DataKeeper {
  readonly #file: SealedFile;
  readonly #options: DataKeeperOptions;
  readonly #closed = new AbortController();
  /** The data to write, and when it was last the newest. */
  #next: { data: Data; version: string; savedAt: number } | undefined;
  #working: Promise<void> | undefined;
  #keptVersion: string | undefined;
  #confirmedAt = 0;
  #hasFailed = false;

  constructor(file: SealedFile, options: DataKeeperOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Undefined if there is none. @throws InvalidDataError */
  async read(signal: AbortSignal): Promise<LastData | undefined> {
    const saved = await this.#file.read();
    if (!saved) return undefined;
    const end = saved.bytes.indexOf(0x0a);
    const version = saved.bytes.subarray(0, end).toString();
    const data = await parseApart(Buffer.from(saved.bytes.subarray(end + 1)), signal);
    const age = this.#options.clock() - saved.savedAt;
    // The clock has gone back, and the age is unknown.
    return { data, version, age: age < 0 ? MAX_KEPT_S * 1_000 : age };
  }

  keep(data: Data, version: string): void {
    const now = this.#options.clock();
    if (version !== this.#keptVersion) {
      this.#keptVersion = version;
      this.#next = { data, version, savedAt: now };
    } else if (this.#next) this.#next.savedAt = now;
    else if (now - this.#confirmedAt < CONFIRM_MS) return;
    this.#confirmedAt = now;
    this.#work();
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
        await this.#file.write(await bytesOf(next), next.savedAt);
        this.#hasFailed = false;
      } else if (this.#confirmedAt > 0 && !this.#hasFailed)
        await this.#file.confirm(this.#confirmedAt);
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error as Error);
      this.#hasFailed = true;
    }
  }
}

/** Leaves time for other work. */
async function bytesOf({ data, version }: { data: Data; version: string }): Promise<Buffer> {
  const pieces = [Buffer.from(`${version}\n`)];
  for (const piece of dataPieces(data)) {
    pieces.push(piece);
    await setImmediate();
  }
  return Buffer.concat(pieces);
}
