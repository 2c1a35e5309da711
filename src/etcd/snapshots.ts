import type { Data } from "../store/data.js";
import { dataPieces } from "../store/file/data-file.js";
import { KEYS, logKey, MAX_ENTRY_BYTES, newId } from "./log.js";
import { type ReadTarget, readHead, type StoreState } from "./read-store.js";
import { replaceHead, revisionOf } from "./replace-head.js";
import { keysOf, listUploads, SNAPSHOT, upload } from "./uploads.js";

/** A snapshot is made when the log is longer than this, and than a quarter of the data. */
const MIN_LOG_BYTES = 512 * 1_024;
/** The number of log entries that are kept. */
const HISTORY = 10_000;
/** Writes between two removals. */
const TIDY_EVERY = 100;

/** Uploads all data. The snapshot is valid once a head names it. */
export async function uploadSnapshot(
  target: ReadTarget,
  data: Data,
  { store, version, write }: { store: string; version: number; write: string },
) {
  const bytes = Buffer.concat([...dataPieces(data)]);
  const uploaded = await upload(target, store, newId(), bytes);
  const { write: name, parts } = uploaded;
  return { uploaded, snapshot: { version, write, upload: name, parts, bytes: bytes.length } };
}

/** Makes a snapshot if the log is long, and removes old entries. If this fails, nothing is lost. */
export async function tidy(
  target: ReadTarget,
  state: StoreState,
  before: StoreState,
): Promise<void> {
  const isLong = state.logBytes > Math.max(MIN_LOG_BYTES, state.head.snapshot.bytes / 4);
  // Only a few of many writers make one.
  const isDue =
    isLong && (state.head.version % 10 === 0 || state.logBytes - before.logBytes > MAX_ENTRY_BYTES);
  if (isDue) await makeSnapshot(target, state);
  if (isDue || state.head.version % TIDY_EVERY === 0) await prune(target, HISTORY, true);
}

async function makeSnapshot(target: ReadTarget, { head, data }: StoreState): Promise<void> {
  const { version, snapshot: previous } = head;
  /** The present head, unless it has another snapshot or the cluster was restored. */
  const readPresent = async () => {
    const present = await readHead(target);
    const isSame =
      present &&
      present.head.version >= version &&
      present.head.snapshot.upload === previous.upload;
    return isSame ? present : undefined;
  };
  if (!(await readPresent())) return;
  const { snapshot, uploaded } = await uploadSnapshot(target, data, head);
  try {
    for (let present = await readPresent(); present; present = await readPresent())
      await replaceHead(target, {
        head: { ...present.head, snapshot, previous },
        after: present.value,
        uploaded,
      });
  } finally {
    await uploaded.end();
  }
}

/**
 * Removes entries, but none that is needed to read the data.
 *
 * @param entries how many to keep
 * @param isSlowReaderSafe whether to keep the snapshot before the last one for readers that have
 *   begun with it
 */
export async function prune(
  target: ReadTarget,
  entries: number,
  isSlowReaderSafe = false,
): Promise<void> {
  const { gateway, prefix } = target;
  // Listed before the head, which names a snapshot as soon as its upload says so.
  const uploads = await listUploads(target);
  const present = await readHead(target);
  if (!present) return;
  const { version, snapshot, previous = snapshot } = present.head;
  const oldest = isSlowReaderSafe ? previous : snapshot;
  const first = Math.max(1, Math.min(oldest.version, version - entries) + 1);
  const isNeeded = (write: string, owner: string) => {
    if (owner === SNAPSHOT) return [oldest.upload, snapshot.upload].includes(write);
    return /^\d{1,16}$/.test(owner) ? Number(owner) >= first : owner !== "";
  };
  // If the cluster is restored meanwhile, it may need what comes before a snapshot that it has not.
  const key = prefix + KEYS.uploads + oldest.upload;
  const modRevision = (await revisionOf(target, key)) || Number.MAX_SAFE_INTEGER;
  const compare = [{ key, modRevision }];
  // The parts are first, since an entry names them.
  for (const [write, owner] of uploads)
    if (!isNeeded(write, owner)) await gateway.commit({ compare, deletes: keysOf(prefix, write) });
  const log = { key: prefix + KEYS.log, end: prefix + logKey(first) };
  await gateway.commit({ compare, deletes: [log] });
}
