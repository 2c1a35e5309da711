import { withName } from "../kit/files/system-errors.js";
import { InvalidDataError } from "../kit/text/errors.js";
import type { Data } from "../store/data.js";
import {
  changeWithoutCredentials,
  type RecordChange,
  type RecordedWrite,
} from "../store/history.js";
import type { StoredKey } from "./answers.js";
import { applyChanges } from "./apply-changes.js";
import {
  type Head,
  KEYS,
  type LogEntry,
  logKey,
  parseChanges,
  parseHead,
  parseLogEntry,
} from "./log.js";
import { download, openKey, prefixRangeEnd, type StoreTarget } from "./uploads.js";

/**
 * The largest number of log entries in an answer, and in the answer with the
 * head.
 */
const PAGE_ENTRIES = 100;
const FIRST_ENTRIES = 3;
/** The size of an entry without its text, in bytes. */
export const ENTRY_COST = 256;

export interface StoredHead {
  readonly clusterId: string;
  /** The revision that wrote the head. */
  readonly revision: number;
  readonly head: Head;
  /** The stored bytes of the head. */
  readonly value: Buffer;
  /** The first log entries after a version. */
  readonly entries: readonly StoredKey[];
}

export interface StoreState extends StoredHead {
  readonly data: Data;
  /** The size of the log after the snapshot. */
  readonly logBytes: number;
}

interface LoggedWrite extends Omit<LogEntry, "changes"> {
  readonly version: number;
  readonly bytes: number;
  readonly changes: Iterable<RecordChange>;
}

/**
 * Reads the head, as a majority of the members has it.
 *
 * @param since a version; the first log entries after it are read too
 * @param within milliseconds for all attempts
 * @returns `undefined` for a store that holds nothing
 * @throws InvalidDataError that names the key, or says that somebody has
 *   restored an older head; as `Gateway.ranges`
 */
export async function readHead(
  target: StoreTarget,
  { since, within }: { since?: number | undefined; within?: number | undefined } = {},
): Promise<StoredHead | undefined> {
  const { gateway, signal } = target;
  const key = KEYS.head;
  const end = prefixRangeEnd(KEYS.log);
  const ranges = since === undefined ? [] : [{ key: logKey(since + 1), end, limit: FIRST_ENTRIES }];
  const answer = await gateway.ranges([{ key }, ...ranges], { within, signal });
  const [[stored] = [], entries = []] = answer.ranges;
  if (stored?.key !== key) return undefined;
  const head = openKey(target, stored, parseHead, ({ store }) => ({ store }));
  if (entries.some((entry) => entry.key > logKey(head.version)))
    throw new InvalidDataError(
      `${gateway.prefix}${key} is older than the log: somebody restored it`,
    );
  const { modRevision: revision, value } = stored;
  return { clusterId: answer.clusterId, revision, head, value, entries };
}

/** Reads the snapshot and the log after it. */
export async function readWholeStore(target: StoreTarget, newest: StoredHead): Promise<StoreState> {
  const { prefix } = target.gateway;
  for (let current = newest; ; ) {
    const { store, version, snapshot } = current.head;
    const [bytes, log] = await Promise.all([
      download(target, { store, write: snapshot.upload, parts: snapshot.parts }),
      readLog(target, { ...current, entries: [] }, snapshot.version + 1),
      // Throws if there are later entries.
      readHead(target, { since: version }),
    ]);
    if (bytes && log) {
      const data = await target.parse(bytes, target.signal);
      const head = { ...current.head, version: snapshot.version, write: snapshot.write };
      const state = await addLog({ ...current, head, data, logBytes: 0 }, current, log);
      if (!state)
        throw new InvalidDataError(
          `${prefix}${logKey(version)} does not follow the write before it`,
        );
      return state;
    }
    // A later snapshot may have taken their place.
    const later = await readHead(target);
    if (!later || later.revision === current.revision)
      throw new InvalidDataError(`${prefix}${KEYS.head} names parts or entries that are missing`);
    current = later;
  }
}

/**
 * Adds later writes to a state. Resolves to `undefined` if the cluster was
 * restored, or entries are missing.
 */
export async function readSince(
  target: StoreTarget,
  base: StoreState,
  newest: StoredHead,
): Promise<StoreState | undefined> {
  const { head } = newest;
  const isSameStore = newest.clusterId === base.clusterId && head.store === base.head.store;
  if (!isSameStore || head.version < base.head.version) return undefined;
  const log = await readLog(target, newest, base.head.version + 1);
  return log && addLog(base, newest, log);
}

/**
 * @returns `undefined` if the log does not lead from the state to the newest
 *   head
 */
async function addLog(
  base: StoreState,
  newest: StoredHead,
  log: readonly LoggedWrite[],
): Promise<StoreState | undefined> {
  // A snapshot begins the log again. Entries that were written meanwhile are
  // not counted.
  const isSameLog = base.head.snapshot.upload === newest.head.snapshot.upload;
  let logBytes = isSameLog ? base.logBytes : 0;
  let last = base.head.write;
  for (const { previous, write, bytes } of log) {
    if (previous !== last) return undefined;
    last = write;
    logBytes += bytes + ENTRY_COST;
  }
  if (last !== newest.head.write) return undefined;
  // Unchanged data stays the same object.
  if (log.length === 0) return { ...base, ...newest, logBytes };
  let version = base.head.version;
  const changes = function* () {
    for (const write of log) {
      version = write.version;
      yield* write.changes;
    }
  };
  const data = await applyChanges(base.data, changes()).catch((error) => {
    throw withName(logKey(version), error);
  });
  const { last_ids } = log.at(-1) ?? {};
  return { ...base, ...newest, data: { ...data, ...(last_ids && { last_ids }) }, logBytes };
}

/**
 * Reads the log entries from a version up to the head; `undefined` if some are
 * missing.
 */
async function readLog(
  target: StoreTarget,
  newest: StoredHead,
  first: number,
): Promise<LoggedWrite[] | undefined> {
  const { gateway, signal } = target;
  const { store, version: last } = newest.head;
  const end = logKey(last + 1);
  const log: LoggedWrite[] = [];
  let entries = [...newest.entries];
  for (let version = first; version <= last; version++) {
    const key = logKey(version);
    if (entries.length === 0)
      entries = await gateway.range({ key, end, limit: PAGE_ENTRIES }, { signal });
    const next = entries.shift();
    const write = next?.key === key ? await readWrite(target, store, version, next) : undefined;
    if (!write) return undefined;
    log.push(write);
  }
  return log;
}

/**
 * Yields the writes up to the head, newest first, until one is no longer in the
 * log.
 */
export async function* readWrites(
  target: StoreTarget,
  { store, version: last, write }: Head,
): AsyncGenerator<RecordedWrite> {
  const { gateway, signal } = target;
  let next = write;
  for (let version = last; version > 0; ) {
    const key = logKey(Math.max(1, version - PAGE_ENTRIES + 1));
    const entries = await gateway.range({ key, end: logKey(version + 1) }, { signal });
    if (entries.length === 0) return;
    for (const stored of entries.toReversed()) {
      const logged = await readWrite(target, store, version, stored);
      // Entries from before the log was cut do not lead to the data.
      if (stored.key !== logKey(version) || logged?.write !== next) return;
      const { time, actor, command, previous } = logged;
      const changes = [...logged.changes].map(changeWithoutCredentials);
      if (changes.length > 0) yield { id: version, time, actor, command, changes };
      [next, version] = [previous, version - 1];
    }
  }
}

/** @returns `undefined` if parts are missing */
async function readWrite(
  target: StoreTarget,
  store: string,
  version: number,
  stored: StoredKey,
): Promise<LoggedWrite | undefined> {
  const entry = openKey(target, stored, parseLogEntry, ({ write }) => ({ store, write }));
  const { write, changes } = entry;
  if (typeof changes !== "number")
    return { ...entry, version, bytes: stored.value.length, changes };
  const bytes = await download(target, { store, write, parts: changes });
  return bytes && { ...entry, version, bytes: bytes.length, changes: parseChanges(bytes) };
}
