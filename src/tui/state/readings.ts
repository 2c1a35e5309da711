import type { RateLimit } from "../../model/http-headers.js";
import type { VariableEntry } from "../../model/source.js";
import type { Failure } from "./failure.js";

/** The names of recently changed variables, and the time until which they are marked. */
export interface RecentChanges {
  readonly kinds: ReadonlyMap<string, "added" | "changed">;
  readonly until: number;
}

/** What is known about the variables of a place. Times are in milliseconds on a monotonic clock. */
export interface Reading {
  /**
   * The entries, by ascending id of the variable. During the first read, the entries received so
   * far.
   */
  readonly entries: readonly VariableEntry[];
  /** Whether all entries have been read at least once. */
  readonly isComplete: boolean;
  /** Whether the screen waits for a read. Polls don't count. */
  readonly isReading: boolean;
  /** The total number of entries, as far as known. */
  readonly total: number;
  /** When the entries were last known to be up to date, or `undefined` if unknown. */
  readonly asOf?: number | undefined;
  /** Why the last read failed. Earlier entries are kept. */
  readonly failure?: Failure | undefined;
  readonly failures: number;
  /** When to retry after a failure, or to poll after a success. `undefined` for never. */
  readonly nextAt?: number | undefined;
  /** A problem that the source reports while it still answers. */
  readonly problem?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly changes?: RecentChanges | undefined;
  /** The history id of the last change, by name. Only loaded for sorting. */
  readonly lastChanges?: ReadonlyMap<string, number> | undefined;
  /** The findings of `check`: the rule that an entry breaks. */
  readonly findings?: ReadonlyMap<VariableEntry, string> | undefined;
  readonly isEditable: boolean;
  /** Whether a poll is known to send no request. */
  readonly isLocal: boolean;
}

const UNREAD: Reading = {
  ...{ entries: [], isComplete: false, isReading: false, total: 0, failures: 0 },
  ...{ isEditable: false, isLocal: false },
};

interface Readings {
  readonly readings: ReadonlyMap<number, Reading>;
  /** The index of the open place. */
  readonly place: number;
}

/** The reading of a place. Default: the open place. */
export function readingOf({ readings, place }: Readings, of = place): Reading {
  return readings.get(of) ?? UNREAD;
}

export function withReading<S extends Readings>(
  state: S,
  place: number,
  change: Partial<Reading>,
): S {
  return {
    ...state,
    readings: new Map(state.readings).set(place, { ...readingOf(state, place), ...change }),
  };
}

/**
 * The result of the last read of a place. `problem`: the source answers, but reports that something
 * is wrong with its data.
 */
export type Health = "unread" | "reading" | "ok" | "problem" | "failed";

export function healthOf(state: Readings, place: number): Health {
  const { failure, isComplete, isReading, problem } = readingOf(state, place);
  if (failure) return "failed";
  if (!isComplete) return isReading ? "reading" : "unread";
  return problem === undefined ? "ok" : "problem";
}
