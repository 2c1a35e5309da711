import type { AuditLine } from "../model/audit-line.js";
import { qualifiedName } from "../model/environment.js";
import { mapById, type ValueRecord } from "./data.js";
import { EXTERNAL_COMMAND, type History, idOf } from "./history.js";

/** How often a client has read a value that is still the same. */
export interface ReadCount {
  readonly environment: string;
  /** `undefined` for the key of the environment. */
  readonly client: string | undefined;
  readonly name: string;
  reads: number;
  /** ISO 8601, UTC. */
  last_read: string;
}

/** Counts the reads of values that are still the same. */
export async function createReadCounter(history: History) {
  const find = await unchangedValues(history);
  /** The counts by value and client. */
  const reads = new Map<string, ReadCount>();
  /** Adds the values that a request has read. @param since Unix milliseconds */
  const count = ({ time, client, read = [] }: AuditLine, since: number) => {
    const readAt = Date.parse(time);
    if (readAt < since) return;
    // No record has the id 0.
    for (const { value_id: id = 0 } of read) {
      const names = find(id, readAt);
      if (!names) continue;
      const key = `${id} ${client ?? ""}`;
      const row = reads.get(key) ?? { ...names, client, reads: 0, last_read: time };
      reads.set(key, row);
      row.reads++;
      if (readAt > Date.parse(row.last_read)) row.last_read = time;
    }
  };
  return { data: history.data, reads, count };
}

/**
 * A change of a value. One by another program happened some time after the
 * previous change.
 */
interface ValueChange {
  /** Unix milliseconds. */
  earliest: number;
  readonly latest: number;
  readonly before: string | undefined;
}

/**
 * Returns a function that finds a value by id and read time (Unix ms), if still
 * the same.
 */
async function unchangedValues({ data, writes }: History) {
  const environments = mapById(data.environments);
  const variables = mapById(data.variables);
  const values = mapById(data.values);
  /** The changes of each value by its id, newest first. */
  const changesOf = new Map<number, ValueChange[]>();
  let externalChanges: ValueChange[] = [];
  for await (const { time, command, changes: records } of writes) {
    const latest = Date.parse(time);
    for (const change of externalChanges) change.earliest = latest;
    externalChanges = [];
    const earliest = command === EXTERNAL_COMMAND ? Number.NEGATIVE_INFINITY : latest;
    for (const change of records) {
      if (change.list !== "values") continue;
      const id = idOf(change);
      const valueChange = { earliest, latest, before: contentOf(change.before) };
      const ofValue = changesOf.get(id) ?? [];
      changesOf.set(id, ofValue);
      ofValue.push(valueChange);
      if (command === EXTERNAL_COMMAND) externalChanges.push(valueChange);
    }
  }
  return (id: number, time: number) => {
    const record = values.get(id);
    // The first change after a read replaced what was read. A later one may
    // have brought it back.
    const isSame = (["earliest", "latest"] as const).some((when) => {
      const replaced = changesOf.get(id)?.findLast((change) => change[when] > time);
      return !replaced || replaced.before === contentOf(record);
    });
    const environment = record && environments.get(record.environment_id);
    const variable = record && variables.get(record.variable_id);
    if (!environment || !variable || !isSame) return undefined;
    return { environment: qualifiedName(environment), name: variable.name };
  };
}

function contentOf(record: object | null | undefined): string | undefined {
  return record ? JSON.stringify((record as ValueRecord).content.value) : undefined;
}
