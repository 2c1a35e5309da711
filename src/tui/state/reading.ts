import type { RateLimit } from "../../model/http-headers.js";
import type { VariableEntry } from "../../model/source.js";
import type { Place } from "./ports.js";

export interface PlaceInfo extends Omit<Place, "open"> {
  /**
   * Whether its data no longer has it. It is not listed, but keeps its index, as it may come back.
   */
  readonly isGone?: boolean;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Seconds to wait before the next try, if the server said so. */
  readonly retryAfter?: number | undefined;
  /** Whether a change of local data can fix it, such as another branch. */
  readonly mayPass?: boolean;
}

/** Names of recently changed variables, and until when they are marked. */
export interface RecentChanges {
  readonly kinds: ReadonlyMap<string, "added" | "changed">;
  readonly until: number;
}

/** What is known of the variables of a place. Times are in milliseconds on a monotonic clock. */
export interface Reading {
  /** By ascending id of the variable. During the first read, those received so far. */
  readonly entries: readonly VariableEntry[];
  /** Whether all have been read once. */
  readonly isComplete: boolean;
  /** Whether the screen waits for an answer. Polls don't count. */
  readonly isReading: boolean;
  /** How many there are in all, as far as known. */
  readonly total: number;
  /** When they were last known to be up to date; undefined if that isn't known. */
  readonly asOf?: number | undefined;
  /** Why the last read failed. The last data stays. */
  readonly failure?: Failure | undefined;
  readonly failures: number;
  /** When to try again after a failure, or to poll after a success; undefined for not at all. */
  readonly nextAt?: number | undefined;
  /** A problem that the source reports although it answers. */
  readonly problem?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly changes?: RecentChanges | undefined;
  /** By name, the history id of the last change. Read only for sorting. */
  readonly lastChanges?: ReadonlyMap<string, number> | undefined;
  /** What `check` finds: why an entry breaks the rules of its variable. */
  readonly findings?: ReadonlyMap<VariableEntry, string> | undefined;
  readonly isEditable: boolean;
  /** Whether a poll sends no request, as far as known. */
  readonly isLocal: boolean;
}

const UNREAD: Reading = {
  ...{ entries: [], isComplete: false, isReading: false, total: 0, failures: 0 },
  ...{ isEditable: false, isLocal: false },
};

interface Readings {
  readonly readings: ReadonlyMap<number, Reading>;
  /** Index of the open place. */
  readonly place: number;
}

/** The reading of a place, by default the open one. */
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
 * How the last read of a place went. `problem`: it answers, but reports that something is wrong
 * with its data.
 */
export type Health = "unread" | "reading" | "ok" | "problem" | "failed";

export function healthOf(state: Readings, place: number): Health {
  const { failure, isComplete, isReading, problem } = readingOf(state, place);
  if (failure) return "failed";
  if (!isComplete) return isReading ? "reading" : "unread";
  return problem === undefined ? "ok" : "problem";
}

/** Indexes of the places in the group of the open one, which is among them. */
export function groupOf({
  places,
  place,
}: {
  places: readonly PlaceInfo[];
  place: number;
}): readonly number[] {
  const group = places[place]?.group;
  return [...places.keys()].filter((index) => {
    return places[index]?.group === group && (index === place || !places[index]?.isGone);
  });
}
