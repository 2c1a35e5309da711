import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import { type CheckTrace, type Condition, type Put, UncertainError } from "./gateway.js";
import { type Entry, type Head, KEYS, logKey, parseHead } from "./log.js";
import type { ReadTarget } from "./read-store.js";
import { type Claim, LostUploadError, openKey, SNAPSHOT, type Upload } from "./uploads.js";

interface NextHead {
  readonly head: Head;
  /** The present head, as it is in etcd; `undefined` if there must be none. */
  readonly after: Buffer | undefined;
  /** The log entry of the write. Without it, only the snapshot changes. */
  readonly entry?: Entry;
  /** The parts of the entry or of the snapshot. */
  readonly uploaded?: Upload | undefined;
  /** The turn, if this writer has it. */
  readonly turn?: Claim | undefined;
}

/**
 * Replaces the head and adds the log entry in one transaction.
 *
 * @returns the new head as it is in etcd; `undefined` if another writer was faster
 * @throws LostUploadError; UnreachableError that tells if it is unknown whether the head was
 *   replaced
 */
export async function replaceHead(target: ReadTarget, next: NextHead) {
  const { head, entry, uploaded } = next;
  const value = sealed(target, next, KEYS.head, head);
  const puts: Put[] = [value];
  if (entry) puts.push(sealed(target, next, logKey(head.version), entry));
  if (uploaded)
    puts.push(uploaded.keep(typeof entry?.changes === "number" ? head.version : SNAPSHOT));
  const transaction = { compare: conditionsOf(target.prefix, next), puts };
  const checkTrace: CheckTrace = ([present, log]) => {
    if (!entry || log || !present) return;
    const { version } = openKey(target, present, parseHead, () => ({ store: head.store }));
    // With a lower version, a snapshot has replaced the head, or the cluster was restored.
    if (version >= head.version)
      throw new InvalidDataError("the log entry that would show this is no longer kept");
  };
  const revision = await target.gateway.commit(transaction, { checkTrace }).catch((error) => {
    if (!(error instanceof UncertainError)) throw error;
    throw new UnreachableError(`${error.message}; it is not known whether the change was made`, {
      cause: error,
    });
  });
  if (revision !== undefined) return { value: value.value, revision };
  if (uploaded && (await revisionOf(target, uploaded.compare.key)) !== uploaded.compare.modRevision)
    throw new LostUploadError();
  return undefined;
}

function conditionsOf(prefix: string, { head, after, entry, uploaded, turn }: NextHead) {
  // A revision would not do: after a restore, another head may get the same one.
  const present = after ? { value: after } : { modRevision: 0 };
  const conditions: Condition[] = [{ key: prefix + KEYS.head, ...present }];
  if (entry)
    conditions.push(
      { key: prefix + logKey(head.version), modRevision: 0 },
      turn?.compare ?? {
        key: prefix + KEYS.turn,
        modRevision: 0,
        obstacle: "another writer has the turn",
      },
    );
  if (uploaded) conditions.push(uploaded.compare);
  return conditions;
}

function sealed(
  { prefix, sealing }: ReadTarget,
  { head, entry, uploaded }: NextHead,
  name: string,
  content: Head | Entry,
): Put {
  const key = prefix + name;
  const write = entry?.write ?? uploaded?.write ?? head.write;
  const bytes = Buffer.from(JSON.stringify(content));
  return { key, value: sealing.seal(bytes, { store: head.store, write, key }) };
}

/** The revision that last changed a key; 0 if there is no such key. */
export async function revisionOf({ gateway }: ReadTarget, key: string): Promise<number> {
  const { entries } = await gateway.range({ key });
  return entries[0]?.modRevision ?? 0;
}
