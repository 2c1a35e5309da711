import type { Data } from "../../store/data.js";
import type { History } from "../../store/history.js";
import type {
  ChangeData,
  EditableStore,
  Reloadable,
  Store,
  UpdateOptions,
} from "../../store/store.js";

/** The data of a place, before it is opened. */
export interface LocalData {
  readonly name: string;
  /**
   * Looks for other users who can change it: a reader is warned, and a writer refused.
   *
   * @returns the warning
   * @throws InvalidDataError, also for a file that must not be replaced
   */
  check(purpose: "read" | "change"): string | undefined;
  /** @throws InvalidDataError when it is missing, unreadable or breaks a rule */
  read(): Promise<Data>;
  /**
   * Changes it in one atomic write. Resolves to the data with the change.
   *
   * @throws as `EditableStore.update`
   */
  update(change: ChangeData, options?: UpdateOptions): Promise<Data>;
  /**
   * @param use gets the history, which is closed afterwards
   * @throws as `read`, also while the changes are read
   */
  history<T>(use: (history: History) => Promise<T>): Promise<T>;
  /** Opens it, and follows changes by others. @throws as `read` */
  follow(): Promise<EditableStore>;
  /**
   * Creates it with this data. Resolves to a message that says so.
   *
   * @throws InvalidDataError if it exists or can't be written
   */
  create(data: Data): Promise<string>;
  /** Gives a new data file the history of other data. That of a store begins with its data. */
  copyHistory(history: History): Promise<void>;
  /**
   * Writes everything again, its history included: sealed with the first of its keys, or plain.
   *
   * @returns whether it was in another form
   * @throws as `update`
   */
  seal(form: "sealed" | "plain"): Promise<boolean>;
  /**
   * Opens it for a server, and follows its changes. Creates a data file that nothing names, with
   * example variables.
   *
   * @throws InvalidDataError, also if other users can change it; as `openEtcdStore`
   */
  serve(options: ServeDataOptions): Promise<Store & Reloadable>;
}

export interface ServeDataOptions {
  /** The user's folder for caches. */
  cacheFolder: string;
  log: (level: "info" | "warn", message: string) => void;
}
