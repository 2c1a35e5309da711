import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import { serializeData } from "../store/bytes/data-text.js";
import type { Data } from "../store/data.js";
import {
  type Claim,
  type Condition,
  type Put,
  type Transaction,
  UncertainError,
} from "./gateway.js";
import { type Head, KEYS, type LogEntry, logKey, MAX_ENTRY_BYTES, parseHead } from "./log.js";
import { readHead, type StoreState } from "./read-store.js";
import {
  keysOf,
  LostUploadError,
  listUploads,
  openKey,
  SNAPSHOT,
  type StoreTarget,
  type Upload,
  upload,
} from "./uploads.js";

/**
 * A snapshot is made once the log is larger than this, and than a quarter of
 * the data.
 */
const MIN_LOG_BYTES = 512 * 1_024;
/** The number of log entries that are kept. */
const HISTORY = 10_000;
/** The number of writes between two removals. */
const TIDY_EVERY = 100;

/** Uploads a snapshot, which is valid once a head names it. */
export async function uploadSnapshot(
  target: StoreTarget,
  data: Data,
  { store, version, write }: { store: string; version: number; write: string },
) {
  const bytes = Buffer.concat([...serializeData(data)]);
  const uploaded = await upload(target, store, bytes);
  const { write: name, parts } = uploaded;
  return { uploaded, snapshot: { version, write, upload: name, parts, bytes: bytes.length } };
}

/**
 * Makes a snapshot if the log is long, and removes old entries. If this fails,
 * nothing is lost.
 */
export async function compactLog(
  target: StoreTarget,
  { head, data, logBytes }: StoreState,
  before: StoreState,
): Promise<void> {
  const isLong = logBytes > Math.max(MIN_LOG_BYTES, head.snapshot.bytes / 4);
  // Only a few of the writers make one.
  const isDue = isLong && (head.version % 10 === 0 || logBytes - before.logBytes > MAX_ENTRY_BYTES);
  if (isDue) await makeSnapshot(target, head, data);
  if (isDue || head.version % TIDY_EVERY === 0) await prune(target, HISTORY, true);
}

async function makeSnapshot(target: StoreTarget, head: Head, data: Data): Promise<void> {
  const { version, snapshot: previous } = head;
  /**
   * Returns `undefined` if there is another snapshot, or the cluster was
   * restored.
   */
  const readPresent = async () => {
    const present = await readHead(target);
    if (!present || present.head.version < version) return undefined;
    return present.head.snapshot.upload === previous.upload ? present : undefined;
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
 * Removes old log entries, and parts that are not needed to read the data.
 *
 * @param entries the number of log entries to keep
 * @param isSlowReaderSafe whether to keep the previous snapshot, which readers
 *   may have begun with
 */
export async function prune(
  target: StoreTarget,
  entries: number,
  isSlowReaderSafe = false,
): Promise<void> {
  const { gateway } = target;
  // Listed first: a new snapshot is in the uploads as soon as the head names
  // it.
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
  // A cluster that is restored meanwhile may lack the snapshot, and need
  // everything before it.
  const key = KEYS.uploads + oldest.upload;
  const modRevision = (await modRevisionOf(target, key)) || Number.MAX_SAFE_INTEGER;
  const conditions = [{ key, modRevision }];
  // Parts first: their entries name them.
  for (const [write, owner] of uploads)
    if (!isNeeded(write, owner)) await gateway.commit({ conditions, deletes: keysOf(write) });
  const log = { key: KEYS.log, end: logKey(first) };
  await gateway.commit({ conditions, deletes: [log] });
}

interface NextHead {
  head: Head;
  /** The stored bytes of the current head; `undefined` if there must be none. */
  after: Buffer | undefined;
  /** The log entry of the write. Without it, only the snapshot changes. */
  entry?: LogEntry;
  /** The parts of the entry or of the snapshot. */
  uploaded?: Upload | undefined;
  turn?: Claim | undefined;
}

/**
 * Replaces the head and adds the log entry in one transaction.
 *
 * @returns the stored head; `undefined` if another writer was faster
 * @throws LostUploadError; UnreachableError, whose message says if the outcome
 *   is unknown
 */
export async function replaceHead(target: StoreTarget, next: NextHead) {
  const { head, entry, uploaded } = next;
  const { conditions, puts } = conditionsAndPuts(target, next);
  const onRefusedRetry: Transaction["onRefusedRetry"] = ([stored, log]) => {
    if (!entry || log || !stored) return;
    const { version } = openKey(target, stored, parseHead, () => ({ store: head.store }));
    // With a lower version, a snapshot has replaced the head, or the cluster
    // was restored.
    if (version >= head.version)
      throw new InvalidDataError("the log entry that would show this is no longer kept");
  };
  const committing = target.gateway.commit({ conditions, puts, onRefusedRetry });
  const revision = await committing.catch((error) => {
    if (!(error instanceof UncertainError)) throw error;
    const message = `${error.message}; it is not known whether the change was made`;
    throw new UnreachableError(message, { cause: error });
  });
  if (revision !== undefined) return { value: puts[0].value, revision };
  if (
    uploaded &&
    (await modRevisionOf(target, uploaded.condition.key)) !== uploaded.condition.modRevision
  )
    throw new LostUploadError();
  return undefined;
}

/** Returns the conditions and puts of a transaction. The head is the first. */
function conditionsAndPuts(
  { gateway, sealing }: StoreTarget,
  { head, after, entry, uploaded, turn }: NextHead,
) {
  const { store } = head;
  const write = entry?.write ?? uploaded?.write ?? head.write;
  const put = (key: string, content: Head | LogEntry): Put => {
    const bytes = Buffer.from(JSON.stringify(content));
    return { key, value: sealing.seal(bytes, { store, write, key: gateway.prefix + key }) };
  };
  // Not a revision: after a restore, another head may get the same one.
  const conditions: Condition[] = [{ key: KEYS.head, value: after }];
  const puts: [Put, ...Put[]] = [put(KEYS.head, head)];
  if (entry) {
    const key = logKey(head.version);
    const noTurn = { key: KEYS.turn, obstacle: "another writer has the turn" };
    conditions.push({ key }, turn?.condition ?? noTurn);
    puts.push(put(key, entry));
  }
  if (uploaded) {
    const { condition } = uploaded;
    const owner = typeof entry?.changes === "number" ? head.version : SNAPSHOT;
    conditions.push(condition);
    puts.push({ key: condition.key, value: Buffer.from(String(owner)) });
  }
  return { conditions, puts };
}

/** Returns the revision of a key's last change; 0 if there is no such key. */
export async function modRevisionOf({ gateway }: StoreTarget, key: string): Promise<number> {
  const [stored] = await gateway.range({ key });
  return stored?.modRevision ?? 0;
}
