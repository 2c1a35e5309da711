import { setTimeout as delay } from "node:timers/promises";
import { Low } from "lowdb";
import { InvalidDataError } from "../domain/errors.js";
import { type Data, NO_DATA } from "./data.js";
import { DataFileAdapter } from "./data-file-adapter.js";
import { createFile } from "./durable-file.js";
import type { EditableStore } from "./store.js";
import { watchFile } from "./watch-file.js";

/**
 * Makes a data file at `path`.
 *
 * @throws InvalidDataError when there is one already, or it can't be written
 */
export async function createDataFile(path: string, data: Data): Promise<void> {
  await naming(path, new Low(new DataFileAdapter(path, createFile), data).write());
}

/**
 * Opens the data file at `path`.
 *
 * @param options.watch whether to read it again when it changes. A bad edit leaves the last good data in
 *   `snapshot` and tells why in `problem`.
 * @throws InvalidDataError when it is missing, unreadable or breaks a rule
 */
export async function openDataFile(path: string, options: { watch?: boolean } = {}): Promise<EditableStore> {
  const store = new JsonFileStore(path);
  await naming(path, store.open(options.watch ?? false));
  return store;
}

/** Puts the path in front of what is wrong with the file. */
async function naming<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof InvalidDataError
      ? new InvalidDataError(`${path} ${error.message}`, { cause: error })
      : error;
  });
}

const SETTLE_MS = 100;

class JsonFileStore implements EditableStore {
  readonly #path: string;
  readonly #db: Low<Data>;
  readonly #listeners = new Set<() => void>();
  #stopWatching = () => {};
  #problem: string | undefined;
  #updates = 0;

  constructor(path: string) {
    this.#path = path;
    this.#db = new Low(new DataFileAdapter(path), NO_DATA);
  }

  get snapshot(): Data {
    return this.#db.data;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async open(watch: boolean): Promise<void> {
    // Watched before it is read, so that no change falls in between.
    if (watch) this.#stopWatching = await watchFile(this.#path, () => this.#reload());
    try {
      await this.#db.read();
    } catch (error) {
      this.#stopWatching();
      throw error;
    }
  }

  async update(change: (data: Data) => Data): Promise<void> {
    // Loaded here: who only reads needs no lock.
    const { updateDataFile } = await import("./update-data-file.js");
    // lowdb's own update would change memory first, and leave it changed when the write fails.
    const data = await naming(this.#path, updateDataFile(this.#path, change));
    this.#updates++;
    this.#db.data = data;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#listeners.clear();
  }

  async #reload(): Promise<void> {
    let problem = await this.#read();
    if (problem) {
      // It may have been caught in the middle of being written, by an editor that does not replace it in one step.
      await delay(SETTLE_MS);
      problem = await this.#read();
    }
    this.#problem = problem;
    for (const listener of this.#listeners) listener();
  }

  /** Resolves to what is wrong, in which case lowdb has kept the data before. */
  async #read(): Promise<string | undefined> {
    try {
      let updates: number;
      do {
        updates = this.#updates;
        await this.#db.read();
        // An update that ended meanwhile has newer data than what this has read.
      } while (updates !== this.#updates);
      return undefined;
    } catch (error) {
      return `the data file ${(error as Error).message}; the last good data is served`;
    }
  }
}
