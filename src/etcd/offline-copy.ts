import { setTimeout as delay, setImmediate } from "node:timers/promises";
import type { SealedCache } from "../kit/files/sealed-cache.js";
import { MAX_CACHE_AGE_S } from "../model/defaults.js";
import { serializeData } from "../store/bytes/data-text.js";
import { parseInThread } from "../store/bytes/parse-in-thread.js";
import type { Data } from "../store/data.js";

const PAUSE_MS = 30_000;

export interface OfflineData {
  readonly data: Data;
  /** The version as in `Store.version`. */
  readonly version: string;
  /** Milliseconds since the data was last known to be the newest. */
  readonly age: number;
}

interface UnsavedData extends Omit<OfflineData, "age"> {
  /** Unix time in milliseconds when the data was last known to be the newest. */
  readonly savedAt: number;
}

/** The last data of a store, in a file. A failure to save it is reported once. */
export class OfflineCopy {
  readonly #file: SealedCache;
  readonly #clock: () => number;
  readonly #onFailure: (error: Error) => void;
  readonly #closed = new AbortController();
  #next: UnsavedData | undefined;
  #savedVersion: string | undefined;
  #hasFailed = false;
  #saving: Promise<void> | undefined;

  constructor(file: SealedCache, clock: () => number, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Resolves to `undefined` if there is none. @throws InvalidDataError */
  async read(signal: AbortSignal): Promise<OfflineData | undefined> {
    const { bytes, savedAt = 0 } = (await this.#file.read()) ?? {};
    if (!bytes) return undefined;
    const end = bytes.indexOf("\n");
    const version = bytes.toString("utf8", 0, end);
    const data = await parseInThread(Buffer.from(bytes.subarray(end + 1)), signal);
    const age = this.#clock() - savedAt;
    // If the clock has gone back, the age is unknown.
    return { data, version, age: age < 0 ? MAX_CACHE_AGE_S * 1_000 : age };
  }

  save(data: Data, version: string): void {
    this.#next = { data, version, savedAt: this.#clock() };
    this.#saving ??= this.#saveRepeatedly();
  }

  /** Resolves once everything is written. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#saving;
    await this.#save();
  }

  async #saveRepeatedly(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#save();
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #save(): Promise<void> {
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    try {
      if (next.version === this.#savedVersion) await this.#file.confirm(next.savedAt);
      else await this.#file.write(await bytesOf(next), next.savedAt);
      this.#savedVersion = next.version;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(error as Error);
      this.#hasFailed = true;
    }
  }
}

/** Formats the version and the data. Other work can go on between pieces. */
async function bytesOf({ data, version }: UnsavedData): Promise<Buffer> {
  const pieces = [Buffer.from(`${version}\n`)];
  for (const piece of serializeData(data)) {
    pieces.push(piece);
    await setImmediate();
  }
  return Buffer.concat(pieces);
}
