import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ServerError } from "../../kit/text/errors.js";
import { InconsistentAnswersError, RateLimitedError } from "../../model/errors.js";
import { readPages } from "../../model/reads/page.js";
import type { VariableReader, VariableSource } from "../../model/reads/read.js";
import {
  byVariableId,
  checkConsistency,
  joinValues,
  withRules,
} from "../../model/reads/variable-entries.js";
import type { Variable, VariableValue } from "../../model/variable.js";
import type { OpenPlace } from "../state/ports.js";
import type { Entries, Reading } from "../state/readings.js";
import type { Tools } from "../state/state.js";

/**
 * Reads variables and values, a page of each at a time.
 *
 * @param previous the entries of an earlier read; unchanged ones are reused
 * @param onPages called after each page, with the total number of variables
 * @throws errors of the reader, ServerError if the answers don't fit together,
 *   or the reason of the signal
 */
async function readEntries(
  reader: VariableReader,
  previous: Entries,
  signal: AbortSignal,
  onPages: OnPages,
): Promise<EntriesRead> {
  const variables: Variable[] = [];
  const values: VariableValue[] = [];
  const entries = () => withRules(joinValues(variables, byVariableId(values)), reader);
  const variablePages = readPages((page) => reader.listVariables(page));
  const valuePages = readPages((page) => reader.listValues(page));
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  // The signal may be aborted after the read has ended.
  stopped.catch(() => {});
  for (let requests = 0, total = 0; ; ) {
    const variablePage = (await Promise.race([variablePages.next(), stopped])).value;
    const valuePage = (await Promise.race([valuePages.next(), stopped])).value;
    if (!variablePage && !valuePage) {
      checkConsistency(variables, values);
      return { entries: reuse(previous, entries()), requests };
    }
    requests += (variablePage ? 1 : 0) + (valuePage ? 1 : 0);
    total = variablePage?.metadata.total ?? total;
    for (const variable of variablePage?.data ?? []) variables.push(variable);
    for (const value of valuePage?.data ?? []) values.push(value);
    await onPages(entries, total);
  }
}

/**
 * Replaces entries by equal ones of `previous`, or returns `previous` itself if
 * all are equal. Both are sorted by id.
 */
function reuse(previous: Entries, entries: Entries): Entries {
  let at = 0;
  const reused = entries.map((entry) => {
    const { id } = entry.variable;
    while ((previous[at]?.variable.id ?? id) < id) at++;
    const before = previous[at];
    // A restarted server may return new records with the same content.
    return before && isDeepStrictEqual(before, entry) ? before : entry;
  });
  const isUnchanged =
    reused.length === previous.length && reused.every((entry, index) => entry === previous[index]);
  return isUnchanged ? previous : reused;
}

/**
 * The shortest interval between progress reports, each of which rebuilds the
 * list.
 */
const PROGRESS_MS = 100;

/** The version of the source from which entries were read. */
const versions = new WeakMap<Entries, object>();

/** The time when a version, or a source without versions, was last up to date. */
const asOf = new WeakMap<object, number>();

/**
 * Times are in milliseconds on a monotonic clock. `entries` is the array of the
 * last read if nothing has changed.
 */
export interface PlaceRead extends Pick<Reading, "entries" | "asOf" | "problem"> {
  readonly time: number;
  readonly requests: number;
}

type EntriesRead = Pick<PlaceRead, "entries" | "requests">;

/**
 * Reads a place, and cancels an earlier read that is in progress.
 *
 * @param previous the entries of an earlier read, returned if nothing has
 *   changed
 * @returns `undefined` if the read was stopped, or replaced by another
 * @throws the errors of opening and reading a source
 */
export async function readPlace(
  { places, reads, ticks }: Tools,
  place: number,
  previous: Entries,
  onOpened: (opened: OpenPlace) => void,
  onProgress: OnProgress,
): Promise<PlaceRead | undefined> {
  reads.get(place)?.abort();
  const controller = new AbortController();
  reads.set(place, controller);
  const { signal } = controller;
  const onPages = previous.length > 0 ? async () => {} : progressReporter(ticks, onProgress);
  try {
    const opened = await places.open(place);
    signal.throwIfAborted();
    onOpened(opened);
    const { entries, requests } = await readVersion(opened, previous, signal, onPages);
    const { problem, age } = await checkHealth(opened.source);
    if (signal.aborted) return undefined;
    const time = ticks();
    const data = versions.get(entries) ?? opened.source;
    if (age !== undefined) asOf.set(data, time - age);
    return { entries, asOf: asOf.get(data), problem, requests: requests + 1, time };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof RateLimitedError)) await places.closeFailed(place);
    throw error;
  } finally {
    if (reads.get(place) === controller) reads.delete(place);
  }
}

type OnProgress = (entries: Entries, total: number) => void;
type OnPages = (entries: () => Entries, total: number) => Promise<void>;

function progressReporter(ticks: () => number, onProgress: OnProgress): OnPages {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (soFar, total) => {
    if (ticks() - reportedAt < PROGRESS_MS) return;
    reportedAt = ticks();
    onProgress(soFar(), total);
    // Reading local data never waits for I/O, so let the screen and the keys
    // take a turn.
    await setImmediate();
  };
}

/** How often to read data that changes meanwhile, before failing. */
const MAX_READS = 5;

/**
 * Reads all entries, unless the source still has the version of `previous`.
 * Reads again if the data changed meanwhile.
 */
async function readVersion(
  { source, version }: OpenPlace,
  previous: Entries,
  signal: AbortSignal,
  onPages: OnPages,
): Promise<EntriesRead> {
  const current = version?.();
  if (current !== undefined && versions.get(previous) === current)
    return { entries: previous, requests: 0 };
  for (let reads = 1; ; reads++) {
    try {
      const read = await source.readSnapshot((snapshot) =>
        readEntries(snapshot, previous, signal, onPages),
      );
      if (current) versions.set(read.entries, current);
      return read;
    } catch (error) {
      if (!(error instanceof InconsistentAnswersError) || reads === MAX_READS) throw error;
    }
  }
}

const UNAVAILABLE = 503;

/**
 * The problem that a source reports, and the milliseconds since its data was up
 * to date. Ignores other failures of the health check, since a proxy may block
 * it.
 */
async function checkHealth(
  source: VariableSource,
): Promise<{ problem?: string | undefined; age?: number }> {
  try {
    const { message, data_age: seconds } = await source.getHealth();
    const problem = seconds === undefined || message === "OK" ? undefined : message;
    return { problem, age: (seconds ?? 0) * 1_000 };
  } catch (error) {
    return error instanceof ServerError && error.status === UNAVAILABLE
      ? { problem: error.message }
      : { age: 0 };
  }
}
