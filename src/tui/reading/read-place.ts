import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ChangedDataError, RateLimitedError, ServerError } from "../../kit/text/errors.js";
import type { VariableReader } from "../../model/read.js";
import {
  byVariable,
  checkConsistency,
  joinValues,
  readPages,
  type VariableEntry,
  type VariableSource,
  withRules,
} from "../../model/source.js";
import type { Variable, VariableValue } from "../../model/variable.js";
import type { OpenPlace } from "../state/ports.js";
import type { Tools } from "../state/state.js";

/**
 * Reads all variables with their values, page by page of both.
 *
 * @param known the entries of an earlier read; unchanged ones are reused
 * @param signal ends the read at once, which cancels its request
 * @param onProgress called after each page, with how many there are in all
 * @throws errors of the reader, ServerError if the answers don't fit together, or the reason of the
 *   signal
 */
async function readEntries(
  reader: VariableReader,
  known: readonly VariableEntry[],
  signal: AbortSignal,
  onProgress: (entries: () => readonly VariableEntry[], total: number) => Promise<void>,
): Promise<EntriesRead> {
  const variables: Variable[] = [];
  const values: VariableValue[] = [];
  const entries = () => withRules(joinValues(variables, byVariable(values)), reader);
  const variablePages = readPages((page) => reader.listVariables(page));
  const valuePages = readPages((page) => reader.listValues(page));
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  // The abort may come after the read.
  stopped.catch(() => {});
  for (let requests = 0, total = 0; ; ) {
    const variablePage = (await Promise.race([variablePages.next(), stopped])).value;
    const valuePage = (await Promise.race([valuePages.next(), stopped])).value;
    if (!variablePage && !valuePage) {
      checkConsistency(variables, values);
      return { entries: reuse(known, entries()), requests };
    }
    requests += (variablePage ? 1 : 0) + (valuePage ? 1 : 0);
    total = variablePage?.metadata.total ?? total;
    for (const variable of variablePage?.data ?? []) variables.push(variable);
    for (const value of valuePage?.data ?? []) values.push(value);
    await onProgress(entries, total);
  }
}

/**
 * The entries, with equal ones of `known` in their place; `known` itself if all are equal. Both are
 * sorted by id.
 */
function reuse(
  known: readonly VariableEntry[],
  entries: readonly VariableEntry[],
): readonly VariableEntry[] {
  let at = 0;
  const reused = entries.map((entry) => {
    const { id } = entry.variable;
    while ((known[at]?.variable.id ?? id) < id) at++;
    const before = known[at];
    // A restarted server may create new records of the same content.
    return before && isDeepStrictEqual(before, entry) ? before : entry;
  });
  const isUnchanged =
    reused.length === known.length && reused.every((entry, index) => entry === known[index]);
  return isUnchanged ? known : reused;
}

/** A long first read reports its progress at most this often, as the list is rebuilt each time. */
const PROGRESS_MS = 100;

/** Times are in milliseconds on a monotonic clock. */
export interface PlaceRead {
  readonly now: number;
  /** The same array as before if nothing has changed. */
  readonly entries: readonly VariableEntry[];
  readonly asOf: number | undefined;
  readonly problem: string | undefined;
  readonly requests: number;
}

type EntriesRead = Pick<PlaceRead, "entries" | "requests">;

/**
 * Reads a place instead of an earlier read that is still in progress.
 *
 * @param known the entries of an earlier read, which are returned if nothing has changed
 * @returns undefined if another read took its place, or it was stopped
 * @throws the errors of opening and reading a source
 */
export async function readPlace(
  tools: Tools,
  place: number,
  known: readonly VariableEntry[],
  onOpened: (opened: OpenPlace) => void,
  onProgress: (entries: readonly VariableEntry[], total: number) => void,
): Promise<PlaceRead | undefined> {
  const { places, reads, versions, asOf, ticks } = tools;
  reads.get(place)?.abort();
  const controller = new AbortController();
  reads.set(place, controller);
  const { signal } = controller;
  let shownAt = Number.NEGATIVE_INFINITY;
  const showProgress: Parameters<typeof readEntries>[3] = async (soFar, total) => {
    if (known.length > 0 || ticks() - shownAt < PROGRESS_MS) return;
    shownAt = ticks();
    onProgress(soFar(), total);
    // Local data is returned without a pause: let the screen and the keys have their turn.
    await setImmediate();
  };
  try {
    const opened = await places.open(place);
    signal.throwIfAborted();
    onOpened(opened);
    const { entries, requests } = await readVersion(tools, opened, known, signal, showProgress);
    const { problem, age } = await checkHealth(opened.source);
    if (signal.aborted) return undefined;
    const now = ticks();
    const data = versions.get(entries) ?? opened.source;
    if (age !== undefined) asOf.set(data, now - age);
    return { entries, asOf: asOf.get(data), problem, requests: requests + 1, now };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof RateLimitedError)) await places.closeFailed(place);
    throw error;
  } finally {
    if (reads.get(place) === controller) reads.delete(place);
  }
}

/**
 * Data that has just changed is usually stable after that; more changes in a row are reported as a
 * failure.
 */
const MAX_READS = 5;

/**
 * Reads all entries unless their version is known; again after a change during the read, for which
 * a source gives up.
 */
async function readVersion(
  { versions }: Tools,
  { source, version }: OpenPlace,
  known: readonly VariableEntry[],
  signal: AbortSignal,
  onProgress: Parameters<typeof readEntries>[3],
): Promise<EntriesRead> {
  const current = version?.();
  if (current !== undefined && versions.get(known) === current)
    return { entries: known, requests: 0 };
  for (let reads = 1; ; reads++) {
    try {
      const read = await source.readSnapshot((snapshot) =>
        readEntries(snapshot, known, signal, onProgress),
      );
      if (current) versions.set(read.entries, current);
      return read;
    } catch (error) {
      if (!(error instanceof ChangedDataError) || reads === MAX_READS) throw error;
    }
  }
}

const UNAVAILABLE = 503;

/**
 * The problem that a source reports, and the milliseconds since its data was last known to be up to
 * date, as far as it tells. A proxy that blocks the health check doesn't matter here.
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
