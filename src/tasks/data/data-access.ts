import type { Data } from "../../store/data.js";
import type { History } from "../../store/history.js";
import type {
  ChangeData,
  EditableStore,
  Reloadable,
  Store,
  UpdateOptions,
} from "../../store/store.js";

/** The data in a file or a store, before it is opened. */
export interface DataAccess {
  readonly name: string;
  /**
   * Checks whether other users can change it.
   *
   * @returns the warning for a reader
   * @throws InvalidDataError for a writer, also if it can't replace the file
   */
  check(purpose: "read" | "change"): string | undefined;
  /** @throws InvalidDataError when it is missing, unreadable or breaks a rule */
  read(): Promise<Data>;
  /** Makes a change in one atomic write, and resolves to the data. */
  update(change: ChangeData, options?: UpdateOptions): Promise<Data>;
  /** @param use gets the history, which is closed afterwards */
  history<T>(use: (history: History) => Promise<T>): Promise<T>;
  /** Opens it, and follows the changes of others. */
  follow(): Promise<EditableStore>;
  /**
   * Creates it, and resolves to a message.
   *
   * @throws InvalidDataError if it exists, or can't be written
   */
  create(data: Data): Promise<string>;
  /**
   * Gives a new data file the history of other data. The history of a store
   * begins with its data.
   */
  copyHistory(history: History): Promise<void>;
  /**
   * Rewrites the data and its history, sealed with the first key or plain.
   * Resolves to whether the form changed.
   */
  writeAs(form: "sealed" | "plain"): Promise<boolean>;
  /**
   * Opens it for a server, and follows its changes. Creates a missing data file
   * with example variables, unless a setting names it.
   */
  serve(options: ServeDataOptions): Promise<Store & Reloadable>;
}

export interface ServeDataOptions {
  cacheFolder: string;
  log: (level: "info" | "warn", message: string) => void;
}
