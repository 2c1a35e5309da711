import { InvalidDataError } from "../kit/text/errors.js";
import type { Data } from "../store/data.js";
import { type Change, withoutCredentials } from "../store/history.js";
import type { RecordChange } from "../store/record-changes.js";
import type { StoredKey } from "./answers.js";
import { applyChanges } from "./apply-changes.js";
import { type Entry, type Head, KEYS, logKey, parseEntry, parseHead } from "./log.js";
import { parseChanges } from "./stored-changes.js";
import { download, endOf, openKey, type UploadTarget } from "./uploads.js";

/** Entries in one answer, which must not get too large, and in that with the head. */
const PAGE_ENTRIES = 100;
const FIRST_ENTRIES = 3;
/** What an entry costs beside its text, in bytes. */
export const ENTRY_COST = 256;

export interface ReadTarget extends UploadTarget {
  /** Parses the bytes of a data file, which can't be used afterwards. @throws InvalidDataError */
  readonly parse: (bytes: Buffer, signal: AbortSignal) => Promise<Data>;
}

/** The head as a majority of the members has it. */
export interface FoundHead {
  readonly clusterId: string;
  /** The revision of the cluster that made it. */
  readonly revision: number;
  readonly head: Head;
  /** The head as it is in etcd. */
  readonly value: Buffer;
  /** The first entries after the version that was known. */
  readonly entries: readonly StoredKey[];
}

/** All data of a store at the version of its head. */
export interface StoreState extends FoundHead {
  readonly data: Data;
  /** The size of the log after the snapshot. */
  readonly logBytes: number;
}

interface LoggedWrite extends Omit<Entry, "changes"> {
  readonly version: number;
  readonly bytes: number;
  readonly changes: Iterable<RecordChange>;
}

/**
 * @param known the version whose next entries are read too
 * @param within milliseconds in which it is tried again
 * @returns undefined for a store that holds nothing
 * @throws InvalidDataError that names the key, also for a head that somebody has put back; the
 *   errors of `Gateway.ranges`
 */
export async function readHead(
  target: ReadTarget,
  { known, within }: { known?: number | undefined; within?: number | undefined } = {},
): Promise<FoundHead | undefined> {
  const { gateway, prefix, signal } = target;
  const key = prefix + KEYS.head;
  const end = endOf(prefix + KEYS.log);
  const ranges =
    known === undefined ? [] : [{ key: prefix + logKey(known + 1), end, limit: FIRST_ENTRIES }];
  const [found, log] = await gateway.ranges([{ key }, ...ranges], { within, signal });
  const [entry] = found?.entries ?? [];
  if (!found || entry?.key !== key) return undefined;
  const head = openKey(target, entry, parseHead, ({ store }) => ({ store }));
  const entries = log?.entries ?? [];
  if (entries.some((each) => each.key > prefix + logKey(head.version)))
    throw new InvalidDataError(`${key} is older than the log: somebody has put it back`);
  return {
    clusterId: found.clusterId,
    revision: entry.modRevision,
    head,
    value: entry.value,
    entries,
  };
}

/**
 * Reads everything: the snapshot, and the log after it.
 *
 * @throws InvalidDataError that names the key; as `readHead`
 */
export async function readAll(target: ReadTarget, found: FoundHead): Promise<StoreState> {
  for (let current = found; ; ) {
    const { store, version, snapshot } = current.head;
    const [bytes, log] = await Promise.all([
      download(target, { store, write: snapshot.upload, parts: snapshot.parts }),
      readLog(target, { ...current, entries: [] }, snapshot.version + 1),
      // Whether there are later entries.
      readHead(target, { known: version }),
    ]);
    if (bytes && log) {
      const data = await target.parse(bytes, target.signal);
      const start = {
        ...current,
        head: { ...current.head, version: snapshot.version, write: snapshot.write },
      };
      const state = await addLog({ ...start, data, logBytes: 0 }, current, log);
      if (!state)
        throw new InvalidDataError(
          `${target.prefix}${logKey(version)} does not follow the write before it`,
        );
      return state;
    }
    // A later snapshot has taken their place.
    const newest = await readHead(target);
    if (!newest || newest.revision === current.revision)
      throw new InvalidDataError(
        `${target.prefix}${KEYS.head} names parts or entries that are missing`,
      );
    current = newest;
  }
}

/**
 * Adds what was written since to a known state.
 *
 * @returns undefined if that is not possible: the cluster was restored, or the entries are no
 *   longer kept
 * @throws as `readAll`
 */
export async function readSince(
  target: ReadTarget,
  known: StoreState,
  found: FoundHead,
): Promise<StoreState | undefined> {
  const { head } = found;
  const isSameStore = found.clusterId === known.clusterId && head.store === known.head.store;
  if (!isSameStore || head.version < known.head.version) return undefined;
  const log = await readLog(target, found, known.head.version + 1);
  return log && addLog(known, found, log);
}

/** @returns undefined if the log does not lead from the known state to the found head */
async function addLog(
  known: StoreState,
  found: FoundHead,
  log: readonly LoggedWrite[],
): Promise<StoreState | undefined> {
  const writes = [known.head.write, ...log.map(({ write }) => write)];
  const follows = log.every(({ previous }, index) => previous === writes[index]);
  if (!follows || writes.at(-1) !== found.head.write) return undefined;
  // A snapshot begins the log again. What was written while it was made is not counted.
  const isSameLog = known.head.snapshot.upload === found.head.snapshot.upload;
  const logBytes = log.reduce(
    (sum, { bytes }) => sum + bytes + ENTRY_COST,
    isSameLog ? known.logBytes : 0,
  );
  // The same data stays the same object.
  if (log.length === 0) return { ...known, ...found, logBytes };
  let version = known.head.version;
  const changes = function* () {
    for (const write of log) {
      version = write.version;
      yield* write.changes;
    }
  };
  const data = await applyChanges(known.data, changes()).catch((error) => {
    throw error instanceof InvalidDataError
      ? new InvalidDataError(`${logKey(version)} ${error.message}`)
      : error;
  });
  const { last_ids } = log.at(-1) ?? {};
  return { ...known, ...found, data: { ...data, ...(last_ids && { last_ids }) }, logBytes };
}

/** The entries from a version up to the head; undefined if some are missing. */
async function readLog(
  target: ReadTarget,
  found: FoundHead,
  first: number,
): Promise<LoggedWrite[] | undefined> {
  const { gateway, prefix, signal } = target;
  const { store, version: last } = found.head;
  const end = prefix + logKey(last + 1);
  const log: LoggedWrite[] = [];
  let { entries } = found;
  for (let version = first; version <= last; version++) {
    const key = prefix + logKey(version);
    if (entries.length === 0)
      ({ entries } = await gateway.range({ key, end, limit: PAGE_ENTRIES }, { signal }));
    const [next, ...others] = entries;
    const write = next?.key === key ? await readWrite(target, store, version, next) : undefined;
    if (!write) return undefined;
    log.push(write);
    entries = others;
  }
  return log;
}

/** The writes up to the head, newest first, as far as they are kept. @throws as `readAll` */
export async function* readChanges(
  target: ReadTarget,
  { store, version: last, write }: Head,
): AsyncGenerator<Change> {
  const { gateway, prefix, signal } = target;
  let next = write;
  for (let version = last; version > 0; ) {
    const key = prefix + logKey(Math.max(1, version - PAGE_ENTRIES + 1));
    const { entries } = await gateway.range({ key, end: prefix + logKey(version + 1) }, { signal });
    if (entries.length === 0) return;
    for (const stored of entries.toReversed()) {
      const found = await readWrite(target, store, version, stored);
      // What is before a cut of the log does not lead to the data.
      if (stored.key !== prefix + logKey(version) || found?.write !== next) return;
      const { time, actor, command, previous } = found;
      const changes = [...found.changes].map(withoutCredentials);
      if (changes.length > 0) yield { id: version, time, actor, command, changes };
      [next, version] = [previous, version - 1];
    }
  }
}

/**
 * @returns undefined if parts are missing
 *
 * @throws InvalidDataError that names the key; as `download`
 */
async function readWrite(
  target: ReadTarget,
  store: string,
  version: number,
  stored: StoredKey,
): Promise<LoggedWrite | undefined> {
  const entry = openKey(target, stored, parseEntry, ({ write }) => ({ store, write }));
  const { write, changes } = entry;
  if (typeof changes !== "number")
    return { ...entry, version, bytes: stored.value.length, changes };
  const bytes = await download(target, { store, write, parts: changes });
  return bytes && { ...entry, version, bytes: bytes.length, changes: parseChanges(bytes) };
}
