import { setImmediate } from "node:timers/promises";
import { InvalidDataError } from "../kit/text/errors.js";
import { byId, type Data, type Identified, LIST_NAMES, type ListName } from "../store/data.js";
import { idOf, isSameRecord, type RecordChange } from "../store/history.js";
import { checkRecord } from "../store/schema/parse-data.js";

/** Changes per batch, which takes a few milliseconds. */
const BATCH = 2_000;

/** The changed records of a list by their ids; `null` if removed. */
type Changed = Map<number, Identified | null>;

/**
 * Applies changes in batches, so that other work can go on in between.
 *
 * @param data with lists sorted by id, as in the result
 * @throws InvalidDataError if a record breaks a rule, or differs from the
 *   record before the change
 */
export async function applyChanges(data: Data, changes: Iterable<RecordChange>): Promise<Data> {
  const changed: Record<ListName, Changed> = {
    environments: new Map(),
    variables: new Map(),
    values: new Map(),
  };
  let done = 0;
  for (const change of changes) {
    const { list, before, after } = change;
    const id = idOf(change);
    const current = changed[list].get(id);
    const now = current === undefined ? findRecord(data[list], id) : current;
    if ((before && after && before.id !== id) || !isSameRecord(now, before))
      throw new InvalidDataError(`changes ${list} ${id}, which is not as it was before`);
    changed[list].set(id, after && checkRecord(list, after));
    if (++done % BATCH === 0) await setImmediate();
  }
  const lists = LIST_NAMES.map((list) => [list, withChanged(data[list], changed[list])]);
  return { ...data, ...Object.fromEntries(lists) } as Data;
}

/** Returns the same list if nothing has changed. */
function withChanged(records: readonly Identified[], changed: Changed): readonly Identified[] {
  if (changed.size === 0) return records;
  const all = records.filter(({ id }) => !changed.has(id));
  for (const record of changed.values()) if (record) all.push(record);
  return all.sort(byId);
}

function findRecord(records: readonly Identified[], id: number): Identified | null {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  const record = records[low];
  return record?.id === id ? record : null;
}
