import { durationText } from "../kit/text/duration.js";

export interface Health {
  /** Seconds since the server started. */
  uptime: number;
  /** `OK`, or the problem. */
  message: string;
  /** ISO 8601, UTC, with milliseconds. */
  date: string;
  /** Whole seconds since the data of a store was last known to be the newest. A header in HTTP. */
  data_age?: number;
}

/** The report of `/healthz` for data that can't be reloaded. Anyone may ask, so it names nothing. */
export const STALE_DATA =
  "the data file could not be read again; the last good data is being served";

/** The same report for a data store. @param age the age of the data in milliseconds */
export function staleStoreMessage(age: number): string {
  return `the data store could not be read again; the data being served is ${durationText(age)} old`;
}
