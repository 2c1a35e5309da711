import { UsageError } from "../domain/errors.js";
import { type Gateway, type KeyRange, UncertainError } from "./gateway.js";
import { type Head, newWriteId, parseHead } from "./head.js";
import { CHANGES_PREFIX, HEAD_KEY, partKey, type RecordChanges } from "./records.js";
import type { Sealing } from "./sealing.js";

/** Below the 128 operations and the 1.5 MiB that etcd allows in one transaction by default, with room for the head. */
const MAX_OPERATIONS = 100;
const MAX_BYTES = 1_000_000;
/** One record, with its key and seal. */
const MAX_RECORD_BYTES = 1_400_000;
/** Parts that nothing refers to were left by a writer that was killed. No write takes a day. */
const ABANDONED_MS = 86_400_000;

/** Where changes are written. */
export interface CommitTarget {
  readonly gateway: Gateway;
  readonly prefix: string;
  readonly sealing: Sealing;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
}

/**
 * Makes all changes or none, if the head is still at `headRevision`. Changes beyond one transaction go beside the
 * records first. The head then refers to it: from that moment it counts, and every reader adds it to the records.
 *
 * @returns whether it was made
 * @throws UncertainError; UsageError for a record that is too large; the errors of `Gateway.commit`
 */
export async function commitChanges(
  target: CommitTarget,
  headRevision: number,
  head: Head,
  changes: RecordChanges,
): Promise<{ succeeded: boolean; revision: number; head: Head }> {
  const { gateway } = target;
  checkSizes(changes);
  const [batch = [], ...others] = batchesOf(changes, MAX_OPERATIONS);
  if (others.length === 0) {
    const outcome = await gateway.commit(transaction(target, headRevision, head, batch));
    return { ...outcome, head };
  }
  const parts = [...batchesOf(changes, Number.POSITIVE_INFINITY)];
  // Another one for each attempt: parts of an earlier one can't get among these.
  const id = `${target.clock().toString(36)}-${newWriteId()}`;
  let first: number;
  try {
    await sweepAbandoned(target, headRevision);
    first = await writeParts(target, id, parts);
  } catch (error) {
    if (!(error instanceof UncertainError)) throw error;
    // Without the head, they are not part of the data.
    await removeParts(target, id);
    return { succeeded: false, revision: headRevision, head };
  }
  const pending = { ...head, pending: { id, parts: parts.length } };
  const { compare, ...rest } = transaction(target, headRevision, pending);
  // The parts may have been swept if this took a day, or by a clock that is wrong.
  const partsAreThere = { key: target.prefix + partKey(id, 0), modRevision: first };
  const outcome = await gateway.commit({ ...rest, compare: [...compare, partsAreThere] });
  if (!outcome.succeeded) await removeParts(target, id);
  return { ...outcome, head: pending };
}

/**
 * Moves a pending write to the records. Any number of processes may do so at the same time, and each may be killed: all
 * write the same, and only while the head is unchanged.
 *
 * @returns the head and its revision afterwards; undefined if another process has changed it
 */
export async function finishPending(
  target: CommitTarget,
  headRevision: number,
  { pending, ...head }: Head,
  changes: RecordChanges,
): Promise<{ head: Head; headRevision: number } | undefined> {
  const { gateway, prefix } = target;
  if (!pending) return { head, headRevision };
  const compare = [{ key: prefix + HEAD_KEY, modRevision: headRevision }];
  const moves = await inParallel(PARALLEL_MOVES, [...batchesOf(changes, MAX_OPERATIONS)], (batch) =>
    gateway.commit({ ...operations(target, batch), compare }),
  );
  if (moves.some((move) => !move.succeeded)) return undefined;
  const last = transaction(target, headRevision, head);
  const { succeeded, revision } = await gateway.commit({ ...last, deletes: [partsOf(target, pending.id)] });
  return succeeded ? { head, headRevision: revision } : undefined;
}

/**
 * Looks for a write in the history of the head after a revision.
 *
 * @returns the revision at which it was made; undefined if it was not
 * @throws CompactedError when that part of the history is no longer kept
 */
export async function findWrite(
  { gateway, prefix }: CommitTarget,
  write: string,
  after: number,
): Promise<number | undefined> {
  let revision: number | undefined;
  for (;;) {
    const { entries } = await gateway.range({ key: prefix + HEAD_KEY, revision });
    const [entry] = entries;
    if (!entry || entry.modRevision <= after) return undefined;
    if (parseHead(entry.value.toString("utf8")).write === write) return entry.modRevision;
    revision = entry.modRevision - 1;
  }
}

type Batch = readonly (readonly [key: string, text: string | undefined])[];

function* batchesOf(changes: RecordChanges, maxLength: number): Generator<Batch> {
  let [batch, size]: [Batch[number][], number] = [[], 0];
  for (const change of changes) {
    const bytes = sizeOf(change);
    if (batch.length >= maxLength || (batch.length > 0 && size + bytes > MAX_BYTES)) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(change);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}

function sizeOf([key, text]: Batch[number]): number {
  return key.length + (text === undefined ? 0 : Buffer.byteLength(text));
}

function checkSizes(changes: RecordChanges): void {
  for (const change of changes) {
    if (sizeOf(change) > MAX_RECORD_BYTES)
      throw new UsageError(`the record ${change[0]} is too large for etcd: it can have ${MAX_RECORD_BYTES} bytes`);
  }
}

/** The changes of one batch, and the next head if the head is still at `headRevision`. */
function transaction(target: CommitTarget, headRevision: number, head: Head, batch: Batch = []) {
  const { puts, deletes } = operations(target, batch);
  const key = target.prefix + HEAD_KEY;
  return {
    compare: [{ key, modRevision: headRevision }],
    puts: [...puts, { key, value: Buffer.from(JSON.stringify(head)) }],
    deletes,
  };
}

function operations({ prefix, sealing }: CommitTarget, batch: Batch) {
  const puts = batch.flatMap(([name, text]) => {
    const key = prefix + name;
    return text === undefined ? [] : [{ key, value: sealing.seal(text, key) }];
  });
  const deletes = batch.flatMap(([name, text]) => (text === undefined ? [{ key: prefix + name }] : []));
  return { puts, deletes };
}

/**
 * Writes the first part before all others: as long as it is there, none has been swept.
 *
 * @returns the revision of the first part
 */
async function writeParts(
  { gateway, prefix, sealing }: CommitTarget,
  id: string,
  [first, ...others]: readonly Batch[],
) {
  const write = (part: Batch, number: number) => {
    const key = prefix + partKey(id, number);
    // The texts of records are JSON.
    const json = part.map(([name, text = "null"]) => `["${name}",${text}]`);
    return gateway.commit({
      compare: [],
      puts: [{ key, value: sealing.seal(`[${json.join(",")}]`, key) }],
      deletes: [],
    });
  };
  const { revision } = await write(first ?? [], 0);
  await inParallel(PARALLEL_PARTS, others, (part, index) => write(part, index + 1));
  return revision;
}

/** Requests that are open at a time: parts are large, and moves mostly small. */
const PARALLEL_PARTS = 4;
const PARALLEL_MOVES = 16;

async function inParallel<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const iterator = items.entries();
  const worker = async () => {
    for (const [index, item] of iterator) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

/** If it fails, they are removed after a day. */
async function removeParts(target: CommitTarget, id: string): Promise<void> {
  await target.gateway.commit({ compare: [], puts: [], deletes: [partsOf(target, id)] }).catch(() => {});
}

/** Removes parts that are old, unless the head has changed and refers to some. */
async function sweepAbandoned({ gateway, prefix, clock }: CommitTarget, headRevision: number): Promise<void> {
  const from = `${prefix}${CHANGES_PREFIX}`;
  const end = `${from}${(clock() - ABANDONED_MS).toString(36)}`;
  const compare = [{ key: prefix + HEAD_KEY, modRevision: headRevision }];
  await gateway.commit({ compare, puts: [], deletes: [{ key: from, end }] });
}

function partsOf({ prefix }: CommitTarget, id: string): KeyRange {
  const key = `${prefix}${CHANGES_PREFIX}${id}/`;
  return { key, end: endOf(key) };
}

/** The first key that does not begin with a prefix, which ends with a slash. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}
