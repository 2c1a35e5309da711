import type { Health } from "./health.js";
import type { VariableReader } from "./read.js";

/** Reads one version of the data. */
export interface Snapshot extends VariableReader {
  /**
   * Identifies the version; `undefined` before the first answer, and from some
   * servers.
   */
  readonly revision: string | undefined;
}

/**
 * The variables of one environment, from a store or a server. The methods of
 * VariableReader read the current data; several consistent calls need
 * `readSnapshot`.
 */
export interface VariableSource extends VariableReader {
  /**
   * Resolves to the result of `read`, whose answers are all of one version of
   * the data. If the data changes in the meantime, `read` is called again with
   * another snapshot.
   *
   * @param read must only read, and wait for all its requests: requests that
   *   are still running when the data changes reject
   * @throws ServerError when the data changed during every attempt; the errors
   *   of `read`
   */
  readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * @throws ServerError with the reason as its message when the server is not
   *   healthy
   */
  getHealth(): Promise<Health>;
  close(): Promise<void>;
}
