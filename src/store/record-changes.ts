import { setImmediate } from "node:timers/promises";
import { InvalidDataError } from "../kit/text/errors.js";
import { byId, type Data, LISTS, type List } from "./data.js";
import { checkRecord } from "./schema/parse-data.js";

/** The lists of data, of which only the ids matter here. */
export type Records = Readonly<Record<List, readonly { readonly id: number }[]>>;

/**
 * A record before and after a change; null where there is none. At least one is there, and both
 * have the same id.
 */
export interface RecordChange {
  readonly list: List;
  readonly before: { readonly id: number } | null;
  readonly after: { readonly id: number } | null;
}

export function idOf({ before, after }: RecordChange): number {
  return (after ?? before)?.id ?? 0;
}

/** Changes that are applied at once, in a few milliseconds. */
const CHUNK = 2_000;

/**
 * The changes that turn one version of the data into the next. Quick if most records are the same
 * objects.
 */
export function changesBetween(data: Records, next: Records): RecordChange[] {
  return LISTS.flatMap((list) => {
    const known = new Map<number, { readonly id: number }>();
    for (const [index, old] of data[list].entries())
      if (old !== next[list][index]) known.set(old.id, old);
    const changes: RecordChange[] = [];
    for (const [index, after] of next[list].entries()) {
      if (after === data[list][index]) continue;
      const before = known.get(after.id) ?? null;
      known.delete(after.id);
      if (!isSameRecord(before, after)) changes.push({ list, before, after });
    }
    for (const before of known.values()) changes.push({ list, before, after: null });
    return changes;
  });
}

/** Whether both would be the same in a file, apart from the order of their records. */
export function isSameData(data: Data, other: Data): boolean {
  const fields = ({ $schema, last_ids, history }: Data) =>
    JSON.stringify([$schema, last_ids, history]);
  return fields(data) === fields(other) && changesBetween(data, other).length === 0;
}

/** All records after these changes, which are not checked. @param changes oldest first */
export function recordsAfter<T extends Records>(
  data: T,
  changes: readonly RecordChange[],
): Pick<T, List> {
  const after = <L extends List>(list: L) => {
    const records = new Map(data[list].map((record) => [record.id, record]));
    for (const { before, after } of changes.filter((change) => change.list === list)) {
      if (after) records.set(after.id, after);
      else records.delete(before?.id ?? 0);
    }
    return [...records.values()] as unknown as T[L];
  };
  return {
    environments: after("environments"),
    variables: after("variables"),
    values: after("values"),
  };
}

/**
 * Data with changes applied, sorted by id. Leaves time for other work.
 *
 * @param data its lists are sorted by id
 * @throws InvalidDataError for a record that breaks a rule of its own, and for one that is not as
 *   it was before its change
 */
export async function applyChanges(data: Data, changes: Iterable<RecordChange>): Promise<Data> {
  const lists: Partial<Record<List, { id: number }[]>> = {};
  const removed = {
    environments: new Set<number>(),
    variables: new Set<number>(),
    values: new Set<number>(),
  };
  let done = 0;
  for (const change of changes) {
    const { list, before, after } = change;
    const id = idOf(change);
    lists[list] ??= [...data[list]];
    const records = lists[list];
    const index = indexOf(records, id);
    const isThere = records[index]?.id === id;
    const known = isThere && !removed[list].has(id) ? records[index] : null;
    if ((before && after && before.id !== id) || !isSameRecord(known ?? null, before))
      throw new InvalidDataError(`changes ${list} ${id}, which is not as it was before`);
    if (!after) removed[list].add(id);
    else {
      removed[list].delete(id);
      records.splice(index, isThere ? 1 : 0, checkRecord(list, after));
    }
    if (++done % CHUNK === 0) await setImmediate();
  }
  const kept = (list: List) =>
    lists[list]?.filter(({ id }) => !removed[list].has(id)) ?? data[list];
  return { ...data, ...Object.fromEntries(LISTS.map((list) => [list, kept(list)])) } as Data;
}

export function sortedById(data: Data): Data {
  return {
    ...data,
    environments: data.environments.toSorted(byId),
    variables: data.variables.toSorted(byId),
    values: data.values.toSorted(byId),
  };
}

/** The index of the first record with this id or a higher one. */
function indexOf(records: readonly { id: number }[], id: number): number {
  // New records have the highest ids.
  if ((records.at(-1)?.id ?? 0) < id) return records.length;
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param a has the fields of a checked record in the same order, and so has `b` */
function isSameRecord(a: object | null, b: object | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
