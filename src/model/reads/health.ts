import { formatDuration } from "../../kit/text/duration.js";

export interface Health {
  /** Seconds since the server started. */
  uptime: number;
  /** `OK`, or the problem. */
  message: string;
  /** ISO 8601, UTC, with milliseconds. */
  date: string;
  /**
   * Whole seconds since the data of a store was last known to be the newest. In
   * HTTP, it is a header.
   */
  data_age?: number;
}

/**
 * The message of `/healthz` for data that can't be reloaded. It contains no
 * names, since anybody can read it.
 */
export const STALE_DATA =
  "the data file could not be read again; the last good data is being served";

/**
 * Returns the same message for a data store.
 *
 * @param age the age of the data in milliseconds
 */
export function staleStoreMessage(age: number): string {
  return `the data store could not be read again; the data being served is ${formatDuration(age)} old`;
}
