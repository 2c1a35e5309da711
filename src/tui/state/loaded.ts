import type { RateLimit } from "../../domain/http-headers.js";
import type { VariableEntry } from "../../domain/source.js";
import type { JsonValue } from "../../domain/variable.js";
import type { Place } from "./ports.js";

export interface PlaceInfo extends Omit<Place, "open"> {
  /** Whether its data no longer has it. It is not listed, but keeps its index, as it may come back. */
  readonly isGone?: boolean;
}

/** How the last read of a place went. `problem`: it answers, but reports that something is wrong with its data. */
export type Health = "unread" | "reading" | "ok" | "problem" | "failed";

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Seconds to wait before the next try, if the server said so. */
  readonly retryAfter?: number | undefined;
  /** The end of that time in milliseconds, where it is known. */
  readonly retryAt?: number;
  /** Whether a change of local data can end it: an environment comes back with another branch. */
  readonly mayPass?: boolean;
}

/** The variables of the open place. Times are in milliseconds on a monotonic clock. */
export interface Loaded {
  /** Number of the current read: late answers to an earlier one are dropped. */
  readonly generation: number;
  /** By ascending id of the variable. During the first read, those received so far. */
  readonly entries: readonly VariableEntry[];
  readonly isComplete: boolean;
  /** How many there are in all, as far as known. */
  readonly total: number;
  /** When they were last known to be up to date; undefined if that isn't known. */
  readonly asOf?: number | undefined;
  readonly failure?: Failure | undefined;
  /** When to try again after a failure, or to look for changes after a success; undefined while reading. */
  readonly nextAt?: number | undefined;
  readonly failures: number;
  /** A problem that the source reports although it answers. */
  readonly problem?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly isEditable: boolean;
}

/** The data of a place beside the open one. */
export interface Other {
  /** Whether another answer is on its way. */
  readonly isReading: boolean;
  /** By ascending id of the variable; undefined until all have been read. */
  readonly entries?: readonly VariableEntry[] | undefined;
  /** When they were read. */
  readonly asOf?: number | undefined;
  /** Why the last read failed. */
  readonly failure?: Failure | undefined;
  /** Whether it can be edited, as far as known. */
  readonly isEditable?: boolean;
  /** Whether looking for changes sends no request. */
  readonly isLocal: boolean;
}

/** The values of one variable in the other places of the group; undefined where it has none. */
export interface Elsewhere {
  readonly name: string;
  readonly values: ReadonlyMap<number, JsonValue | undefined>;
}

export interface Reading {
  readonly now: number;
  /** The same array as before if nothing has changed. */
  readonly entries: readonly VariableEntry[];
  readonly asOf: number | undefined;
  readonly problem: string | undefined;
  readonly requests: number;
}
