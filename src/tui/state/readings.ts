import { AppvarsError, UsageError } from "../../kit/text/errors.js";
import { RateLimitedError } from "../../model/errors.js";
import type { RateLimit } from "../../model/reads/http-headers.js";
import type { VariableEntry } from "../../model/reads/variable-entries.js";

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Seconds to wait before the next try, if the server said how long. */
  readonly retryAfter?: number | undefined;
  /**
   * Whether a change of local data can fix it, such as checking out another
   * branch.
   */
  readonly mayPass?: boolean;
}

/** Thrown if a field of a form has invalid input. */
export class InvalidFieldError extends UsageError {
  constructor(
    message: string,
    readonly field: "name" | "value" | "schema",
  ) {
    super(message);
  }
}

/**
 * Converts an error for the state. The message of an unexpected error could
 * contain a value, so only its kind is shown.
 */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppvarsError)) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: "unexpected", message: `unexpected error (${code ?? name ?? "unknown"})` };
  }
  const retryAfter = error instanceof RateLimitedError ? error.retryAfter : undefined;
  return { code: error.code, message: error.message, retryAfter };
}

/** Variables marked as changed until a time. */
export interface RecentChanges {
  readonly kinds: ReadonlyMap<string, "added" | "changed">;
  readonly until: number;
}

export type Entries = readonly VariableEntry[];

/**
 * The variables of a place that have been read. Times are in milliseconds on a
 * monotonic clock.
 */
export interface Reading {
  /**
   * The entries, sorted by id of the variable. During the first read, those
   * received so far.
   */
  readonly entries: Entries;
  /** Whether all entries have been read at least once. */
  readonly isComplete: boolean;
  /** Whether the screen waits for a read. Polls don't count. */
  readonly isReading: boolean;
  /** The number of entries according to the source. */
  readonly total: number;
  /** The time when the entries were last up to date, if the source reports it. */
  readonly asOf?: number | undefined;
  /** Why the last read failed. Earlier entries are kept. */
  readonly failure?: Failure | undefined;
  readonly failures: number;
  /** The time of the next retry or poll. `undefined` for never. */
  readonly nextAt?: number | undefined;
  /** A problem that the source reports while it still answers. */
  readonly problem?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly changes?: RecentChanges | undefined;
  /** The history id of the last change, by name. Loaded only to sort by it. */
  readonly lastChanges?: ReadonlyMap<string, number> | undefined;
  /** The findings of `check`: the rule that an entry breaks. */
  readonly findings?: ReadonlyMap<VariableEntry, string> | undefined;
  readonly isEditable: boolean;
  /** Whether a poll sends no request. */
  readonly isLocal: boolean;
}

const UNREAD: Reading = {
  entries: [],
  isComplete: false,
  isReading: false,
  total: 0,
  failures: 0,
  isEditable: false,
  isLocal: false,
};

interface Readings {
  readonly readings: ReadonlyMap<number, Reading>;
  /** The index of the open place. */
  readonly place: number;
}

/** @param index default: the open place */
export function readingOf({ readings, place }: Readings, index = place): Reading {
  return readings.get(index) ?? UNREAD;
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
 * The outcome of the last read. `problem`: the source answers, but reports that
 * something is wrong.
 */
export type ReadStatus = "unread" | "reading" | "ok" | "problem" | "failed";

export function readStatusOf(state: Readings, place: number): ReadStatus {
  const { failure, isComplete, isReading, problem } = readingOf(state, place);
  if (failure) return "failed";
  if (!isComplete) return isReading ? "reading" : "unread";
  return problem === undefined ? "ok" : "problem";
}
