import { setTimeout as delay } from "node:timers/promises";
import { Low } from "lowdb";
import { SpareDescriptor } from "../../kit/files/open-file.js";
import { NotDurableError, withPathInErrors } from "../../kit/files/system-errors.js";
import { type FileWatch, watchFile } from "../../kit/files/watch-file.js";
import { type Data, NO_DATA } from "../data.js";
import { FollowedStore } from "../followed-store.js";
import type { Author } from "../history.js";
import { type OpenContent, parseData } from "../schema/parse-data.js";
import type { FileStore } from "../store.js";
import { fileSealing, parseWithKeys, readDataFile } from "./data-file.js";
import type { parseApart } from "./parse-apart.js";

interface DataFileOptions {
  author?: Author | undefined;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /**
   * Whether to read the file again when it changes. If that fails, `snapshot` keeps the last good
   * data, `problem` says why, and reading is retried until it succeeds. Then a large file is parsed
   * in another thread.
   */
  watch?: boolean;
  /** The content of a key file, for a sealed file; a plain one is refused then. */
  sealKeys?: string | undefined;
  /** Opens its content in place of `sealKeys`. */
  open?: OpenContent;
  /**
   * Called with the path before each read. To refuse it, throw an InvalidDataError with a predicate
   * as its message.
   */
  check?: (path: string) => void;
}

/**
 * Opens the data file at `path`.
 *
 * @throws InvalidDataError when it is missing, unreadable or breaks a rule
 */
export function openDataFile(path: string, options: DataFileOptions = {}): Promise<FileStore> {
  return new JsonFileStore(path, options).open();
}

const SETTLE_MS = 100;

class JsonFileStore extends FollowedStore implements FileStore {
  readonly #path: string;
  readonly #options: DataFileOptions;
  /** For a watched file. */
  readonly #spare: SpareDescriptor | undefined;
  readonly #db: Low<Data>;
  readonly #closed = new AbortController();
  #watch: FileWatch | undefined;
  #parse: typeof parseApart | undefined;
  #isAskedToRead = false;
  #problem: string | undefined;
  #updates = 0;
  #updating: Promise<void> | undefined;
  /** The fingerprint of the file as the last update wrote it, until the file is read again. */
  #written: string | undefined;

  constructor(path: string, options: DataFileOptions) {
    super();
    const { watch } = options;
    const spare = watch ? new SpareDescriptor() : undefined;
    this.#path = path;
    this.#options = options;
    this.#spare = spare;
    const served = spare && { read: spare.read.bind(spare), parse: this.#parseServed };
    const read = () =>
      readDataFile(path, served ?? { parse: (bytes) => parseWithKeys(bytes, options.sealKeys) });
    // Written by updateDataFile.
    this.#db = new Low({ read, write: async () => {} }, NO_DATA);
  }

  get snapshot(): Data {
    return this.#db.data;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  open(): Promise<this> {
    return withPathInErrors(this.#path, this.#open());
  }

  async #open(): Promise<this> {
    // A key that breaks a rule is no problem of the file.
    await fileSealing(this.#options.sealKeys);
    // Watched before it is read, so that no change is missed in between.
    if (this.#spare) this.#watch = await watchFile(this.#path, (version) => this.#reload(version));
    try {
      await this.#load();
    } catch (error) {
      await this.close();
      throw error;
    }
    return this;
  }

  update(change: (data: Data) => Data, command?: string): Promise<void> {
    const updating = this.#update(change, command);
    this.#updating = updating;
    return updating;
  }

  async #update(change: (data: Data) => Data, command?: string): Promise<void> {
    // Loaded here, because readers need no lock.
    const { updateDataFile } = await import("./update-data-file.js");
    // lowdb's own update changes memory first, and leaves it changed when the write fails.
    const before = this.#db.data;
    try {
      const { author, sealKeys } = this.#options;
      const named = author && { ...author, command: command ?? author.command };
      const options = { ...this.#options, author: named, sealing: await fileSealing(sealKeys) };
      const { data, written } = await withPathInErrors(
        this.#path,
        updateDataFile(this.#path, change, options),
      );
      this.#db.data = data;
      this.#written = written;
    } catch (error) {
      // The change was made nevertheless.
      if ((error as Error).cause instanceof NotDurableError) await this.#load().catch(() => {});
      throw error;
    } finally {
      this.#updates++;
      if (this.#db.data !== before) this.tell();
    }
  }

  readAgain(): void {
    this.#isAskedToRead = true;
    this.#watch?.readAgain();
  }

  async close(): Promise<void> {
    this.#watch?.stop();
    this.#closed.abort();
    this.#spare?.close();
    this.removeListeners();
  }

  /** Resolves to whether the file could be read. */
  async #reload(version: string): Promise<boolean> {
    const isAsked = this.#isAskedToRead;
    this.#isAskedToRead = false;
    const before = this.#problem;
    await this.#updating?.catch(() => {});
    if (version === this.#written && !isAsked && !before) return true;
    this.#written = undefined;
    let startedAt = performance.now();
    let problem = await this.#read();
    if (problem && !before) {
      // An editor that does not replace the file in one step may still be writing it.
      await delay(SETTLE_MS);
      startedAt = performance.now();
      problem = await this.#read();
    }
    const milliseconds = performance.now() - startedAt;
    this.#problem = problem;
    if (isAsked || problem !== before || !problem) this.tell();
    this.tellReload({ isRead: !problem, milliseconds });
    return !problem;
  }

  /** Ends when the store is closed. */
  readonly #parseServed = async (bytes: Buffer): Promise<Data> => {
    if (this.#options.open) return parseData(bytes, this.#options.open);
    // Loaded with the first data, since clients may hold all file descriptors later.
    this.#parse ??= (await import("./parse-apart.js")).createServedParser();
    return this.#parse(bytes, this.#closed.signal, this.#options.sealKeys);
  };

  async #load(): Promise<void> {
    this.#options.check?.(this.#path);
    await this.#db.read();
  }

  /** Resolves to the problem, if there is one; lowdb then keeps the data it has. */
  async #read(): Promise<string | undefined> {
    try {
      let updates: number;
      do {
        updates = this.#updates;
        await this.#load();
        // An update that finished in the meantime has newer data than this read.
      } while (updates !== this.#updates);
      return undefined;
    } catch (error) {
      return `the data file ${(error as Error).message}; the last good data is served`;
    }
  }
}
