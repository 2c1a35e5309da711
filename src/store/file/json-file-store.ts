import { setTimeout as delay } from "node:timers/promises";
import { NotDurableError, withPathInErrors } from "../../kit/files/system-errors.js";
import { type FileWatch, watchFile } from "../../kit/files/watch-file.js";
import { createFileSealing, parseWithKeys } from "../bytes/data-text.js";
import { parseInThread } from "../bytes/parse-in-thread.js";
import { type Data, NO_DATA } from "../data.js";
import type { Author } from "../history.js";
import { type OpenContent, parseData } from "../schema/parse-data.js";
import {
  type ChangeData,
  type EditableStore,
  ObservableStore,
  type Reloadable,
  type UpdateOptions,
} from "../store.js";
import { readDataFile } from "./data-file.js";

const SETTLE_MS = 100;

interface DataFileOptions {
  author?: Author | undefined;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /**
   * Whether to read the file again when it changes; if it is large, in another
   * thread.
   */
  watch?: boolean;
  /** The content of a key file, for a sealed file. A plain one is then refused. */
  sealKeys?: string | undefined;
  /** Opens a sealed file, in place of `sealKeys`. */
  open?: OpenContent;
  /**
   * Called before each read. Throws InvalidDataError without a subject to
   * refuse the file.
   */
  check?: (path: string) => void;
}

/** @throws InvalidDataError when the file can't be read or breaks a rule */
export function openDataFile(
  path: string,
  options: DataFileOptions = {},
): Promise<EditableStore & Reloadable> {
  return new JsonFileStore(path, options).open();
}

class JsonFileStore extends ObservableStore implements EditableStore, Reloadable {
  readonly #path: string;
  readonly #options: DataFileOptions;
  data = NO_DATA;
  #watch: FileWatch | undefined;
  #isAskedToRead = false;
  /**
   * The fingerprint of the file after the last update, until the file is read
   * again.
   */
  #written: string | undefined;

  constructor(path: string, options: DataFileOptions) {
    super();
    this.#path = path;
    this.#options = options;
  }

  async open(): Promise<this> {
    // Refuses invalid keys, which are not the file's fault.
    await withPathInErrors(this.#path, createFileSealing(this.#options.sealKeys));
    // Before it is read, so that no change is missed.
    if (this.#options.watch)
      this.#watch = await watchFile(this.#path, (version) =>
        this.enqueue(() => this.#readChanged(version)),
      );
    try {
      const reading = this.enqueue(() => this.#read());
      await withPathInErrors(this.#path, reading);
    } catch (error) {
      await this.close();
      throw error;
    }
    return this;
  }

  update(change: ChangeData, options: UpdateOptions = {}): Promise<void> {
    return this.enqueue(() => this.#update(change, options));
  }

  async #update(change: ChangeData, { command, ...rules }: UpdateOptions): Promise<void> {
    // Loaded here, because readers need no lock.
    const { updateDataFile } = await import("./update-data-file.js");
    const { author, clock, sealKeys } = this.#options;
    const options = {
      ...rules,
      author: author && { ...author, command: command ?? author.command },
      clock,
      sealing: await createFileSealing(sealKeys),
    };
    try {
      const updating = updateDataFile(this.#path, change, options);
      const { data, written } = await withPathInErrors(this.#path, updating);
      [this.data, this.#written] = [data, written];
    } catch (error) {
      if (!((error as Error).cause instanceof NotDurableError)) throw error;
      // The change was still made.
      this.problem = await this.#problemOfRead();
      this.notifyListeners();
      throw error;
    }
    this.notifyListeners();
  }

  reload(): void {
    this.#isAskedToRead = true;
    this.#watch?.reload();
  }

  override async close(): Promise<void> {
    this.#watch?.stop();
    await super.close();
  }

  async #readChanged(version: string): Promise<boolean> {
    const isAsked = this.#isAskedToRead;
    this.#isAskedToRead = false;
    const before = this.problem;
    if (version === this.#written && !isAsked && !before) return true;
    this.#written = undefined;
    let startedAt = performance.now();
    let problem = await this.#problemOfRead();
    if (problem && !before) {
      // An editor that writes in place may not have finished.
      await delay(SETTLE_MS);
      startedAt = performance.now();
      problem = await this.#problemOfRead();
    }
    const milliseconds = performance.now() - startedAt;
    this.problem = problem;
    if (isAsked || problem !== before || !problem) this.notifyListeners();
    this.notifyReload({ isRead: !problem, milliseconds });
    return !problem;
  }

  /** Reads the file. Resolves to the problem, if any. */
  async #problemOfRead(): Promise<string | undefined> {
    return this.#read().catch(
      ({ message }: Error) => `the data file ${message}; the last good data is served`,
    );
  }

  async #read(): Promise<undefined> {
    this.#options.check?.(this.#path);
    this.data = await readDataFile(this.#path, { parse: this.#parse });
  }

  readonly #parse = async (bytes: Buffer): Promise<Data> => {
    const { open, sealKeys, watch } = this.#options;
    if (open) return parseData(bytes, open);
    // Another thread takes time to start. Nothing else waits for the first
    // data.
    if (!watch || this.data === NO_DATA) return parseWithKeys(bytes, sealKeys);
    return parseInThread(bytes, this.closed.signal, sealKeys);
  };
}
