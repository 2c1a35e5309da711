import { isDeepStrictEqual } from "node:util";
import { ChangedDataError } from "../../domain/errors.js";
import type { VariableReader } from "../../domain/read.js";
import {
  checkConsistency,
  joinValues,
  readPages,
  type Snapshot,
  type VariableEntry,
  type VariableSource,
  withRules,
} from "../../domain/source.js";
import type { Variable, VariableValue } from "../../domain/variable.js";

export interface EntriesRead {
  /** The known array, if nothing has changed. */
  readonly entries: readonly VariableEntry[];
  readonly requests: number;
}

/**
 * Reads all variables with their values, page by page of both.
 *
 * @param known the entries of an earlier read; unchanged ones are reused
 * @param onProgress called after each page, with how many there are in all
 * @param signal ends the read at once, which cancels the request of a snapshot
 * @throws errors of the reader, ServerError if the answers don't fit together, or the reason of the signal
 */
export async function readEntries(
  reader: VariableReader,
  known: readonly VariableEntry[],
  onProgress?: (entries: () => readonly VariableEntry[], total: number) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<EntriesRead> {
  const variables: Variable[] = [];
  const values: VariableValue[] = [];
  const valuesByVariable = new Map<number, VariableValue>();
  const entries = () => withRules(joinValues(variables, valuesByVariable), reader);
  const variablePages = readPages((page) => reader.listVariables(page));
  const valuePages = readPages((page) => reader.listValues(page));
  const next = untilAborted(signal);
  for (let requests = 0, total = 0; ; ) {
    const variablePage = (await next(() => variablePages.next())).value;
    const valuePage = (await next(() => valuePages.next())).value;
    if (!variablePage && !valuePage) {
      checkConsistency(variables, values);
      return { entries: reuse(known, entries()), requests };
    }
    requests += (variablePage ? 1 : 0) + (valuePage ? 1 : 0);
    total = variablePage?.metadata.total ?? total;
    for (const variable of variablePage?.data ?? []) variables.push(variable);
    for (const value of valuePage?.data ?? []) {
      values.push(value);
      valuesByVariable.set(value.variable_id, value);
    }
    await onProgress?.(entries, total);
  }
}

/** Runs steps of some work, each of which rejects as soon as the signal is aborted. */
function untilAborted(signal: AbortSignal | undefined): <T>(work: () => Promise<T>) => Promise<T> {
  if (!signal) return (work) => work();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // It may come after the work is done.
  aborted.catch(() => {});
  return (work) => {
    signal.throwIfAborted();
    return Promise.race([work(), aborted]);
  };
}

/** The entries, with equal ones of `known` in their place; `known` itself if all are equal. Both are sorted by id. */
function reuse(known: readonly VariableEntry[], entries: readonly VariableEntry[]): readonly VariableEntry[] {
  let at = 0;
  const reused = entries.map((entry) => {
    const { id } = entry.variable;
    while ((known[at]?.variable.id ?? id) < id) at++;
    const before = known[at];
    return before && isSame(before, entry) ? before : entry;
  });
  const isUnchanged = reused.length === known.length && reused.every((entry, index) => entry === known[index]);
  return isUnchanged ? known : reused;
}

/** Data that has just changed is usually stable after that; more changes in a row are reported as a failure. */
const MAX_READS = 5;

/** Reads again after a change during the read, for which a source that tries once gives up. */
export async function readAgainOnChange(
  source: VariableSource,
  read: (snapshot: Snapshot) => Promise<EntriesRead>,
): Promise<EntriesRead> {
  for (let reads = 1; ; reads++) {
    try {
      return await source.readSnapshot(read);
    } catch (error) {
      if (!(error instanceof ChangedDataError) || reads === MAX_READS) throw error;
    }
  }
}

/** Local data is returned without a pause: let the screen and the keys have their turn. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Whether two entries have the same content: a restarted server may create new records of it. */
export function isSame(a: VariableEntry, b: VariableEntry): boolean {
  if (a === b) return true;
  const parts = ({ variable, value, rules }: VariableEntry) => [variable, value, rules];
  return isDeepStrictEqual(parts(a), parts(b));
}
