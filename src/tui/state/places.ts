import { AppvarsError, UsageError } from "../../kit/text/errors.js";
import { RateLimitedError } from "../../model/errors.js";
import type { RateLimit } from "../../model/reads/http-headers.js";
import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { visibleText } from "../text/line.js";
import type { Place } from "./ports.js";

export interface PlaceInfo extends Omit<Place, "open"> {
  /**
   * Whether the place no longer exists. It is not listed, but keeps its index,
   * because it may come back.
   */
  readonly isGone?: boolean;
}

interface WithPlaces {
  readonly places: readonly PlaceInfo[];
}

/** Indexes in the order of the list, by group, without places that are gone. */
export function placeOrder(places: readonly PlaceInfo[]): readonly number[] {
  const groups = new Map<string, number[]>();
  for (const [index, { group, isGone }] of places.entries()) {
    if (!isGone) groups.set(group, [...(groups.get(group) ?? []), index]);
  }
  return [...groups.values()].flat();
}

/** Indexes of the group of the open place. */
export function groupOf({
  places,
  place,
}: WithPlaces & { readonly place: number }): readonly number[] {
  const group = places[place]?.group;
  return [...places.keys()].filter((index) => {
    return places[index]?.group === group && (index === place || !places[index]?.isGone);
  });
}

/**
 * The label of a group in a narrow panel: `shop`, `vars.example.com`, or the
 * name of a file.
 */
export function groupLabel(group: string): string {
  const [, address] = group.split("://");
  return visibleText(address ?? group.split("/").findLast((part) => part !== "") ?? group);
}

/**
 * The name of a place under the heading of its group: `production` for
 * `shop/production`.
 */
export function shortPlaceName({ places }: WithPlaces, index: number): string {
  const { name = "", group } = places[index] ?? {};
  const prefix = `${group}/`;
  return visibleText(name.startsWith(prefix) ? name.slice(prefix.length) : name);
}

/** The identity, if name and group don't already say it. */
export function identityOf({ name, group, identity }: PlaceInfo): string | undefined {
  return identity === name || identity === `${group}/${name}` ? undefined : identity;
}

/** `sealed`, `read-only`, `keys: ci, web (API_*)` */
export function attributesOf({
  isSealed,
  isServer,
  readOnly,
  apiKeys = [],
}: PlaceInfo): readonly string[] {
  const named = apiKeys
    .map(({ name, only }) => (only ? `${name} (${only.join(", ")})` : name))
    .join(", ");
  return [
    isSealed ? "sealed" : "",
    isServer || readOnly ? "read-only" : "",
    named && `keys: ${named}`,
  ].filter(Boolean);
}

export function whyReadOnly(state: WithPlaces, place: number): string | undefined {
  const { isServer, readOnly } = state.places[place] ?? {};
  const reason = isServer ? "the variables of a server can't be edited here" : readOnly;
  return reason && `${placeName(state, place)} is read-only: ${reason}`;
}

export function placeName({ places }: WithPlaces, index: number): string {
  return visibleText(places[index]?.name ?? "");
}

/**
 * Whether the name or the identity says that a place is production: a word
 * begins or ends with `prod`, as in `shop/production`, `eu-prod-1`, `ProdEU`
 * and `myprod`. The application of an environment does not count.
 */
export function isProduction(place: PlaceInfo | undefined): boolean {
  const { name = "", identity = "", kind } = place ?? {};
  return [kind === "environment" ? environmentOf(name) : name, environmentOf(identity)].some(
    namesProduction,
  );
}

function environmentOf(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/**
 * Matches a word that begins or ends with `prod` or `production`, but not
 * `product`, `preprod`, `non-prod` or `reproduction`.
 */
const PRODUCTION =
  /(?=prod)(?<!(?<!\p{L})(?:(?:pre|non|not)\P{L}*|re))(?:(?<!\p{L})prod(?!u)|(?<!\p{L})production|prod(?:uction)?(?!\p{L}))/u;

function namesProduction(text: string): boolean {
  return PRODUCTION.test(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase());
}

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
