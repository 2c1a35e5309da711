import type { Data } from "../../store/data.js";
import type { PackedData } from "../../store/packed-data.js";
import type { EditableStore, Reloadable, Store } from "../../store/store.js";

/** What a place holds, before it is opened. */
export interface LocalData {
  /** What messages call it. */
  readonly name: string;
  /**
   * Looks for other users who can change it. To change it, that is an error, and to read it a warning.
   *
   * @returns a warning, if there is one
   * @throws InvalidDataError that says who can change it, and how to fix that
   */
  check(purpose: "read" | "change"): string | undefined;
  /** All warnings about other users who can change it, for a program that reads it now and may change it later. */
  risks(): string[];
  /** Whether there is something, which may not be valid. */
  exists(): boolean;
  /** @throws InvalidDataError when it is missing, unreadable or breaks a rule */
  open(options?: OpenDataOptions): Promise<EditableStore>;
  /**
   * Creates it with this data. Resolves to a message that says so.
   *
   * @throws InvalidDataError if it exists or can't be written
   */
  create(data: Data): Promise<string>;
  /**
   * Opens it for a server. Creates a data file that nothing names, with example variables.
   *
   * @throws InvalidDataError, also if other users can change it
   */
  serve(options: ServeDataOptions): Promise<Store<PackedData> & Reloadable>;
}

interface OpenDataOptions {
  /** Whether to follow changes by others. */
  watch?: boolean;
  /** Runs an update with a signal that cancels it. */
  interruptible?: <T>(work: (signal?: AbortSignal) => Promise<T>) => Promise<T>;
}

export interface ServeDataOptions {
  /** Unix time in milliseconds. */
  clock: () => number;
  /** The user's folder for caches. */
  cacheFolder: string;
  /** Also called later, while the data is served. */
  log: (level: "info" | "warn", message: string) => void;
  /** Maximum size in bytes. */
  maxSize?: number | undefined;
}
