import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { InvalidDataError, UnreachableError } from "../domain/errors.js";
import { MAX_DATA_SIZE } from "../store/data-file.js";
import { type Gateway, type KeyRange, type Put, type Transaction, UncertainError } from "./gateway.js";
import { PARTS_PREFIX, partKey, type SnapshotName, UPLOADS_PREFIX } from "./log.js";
import type { Sealing } from "./sealing.js";

/** Of a part, with its seal: below the 1.5 MiB that etcd takes in one request by default. */
const PART_BYTES = 1_000_000;
/** Parts in one answer. etcd has several copies of it in memory. */
const PAGE_PARTS = 8;
/** Requests that are open at a time. */
const PARALLEL = 4;
const MAX_TIMEOUT_MS = 16_000;
const PAUSE_MS = 50;
/** A version, a write or a word. */
const MAX_OWNER_BYTES = 32;

export interface UploadTarget {
  readonly gateway: Gateway;
  readonly prefix: string;
  readonly sealing: Sealing;
  readonly times: { readonly transaction: number; readonly write: number; readonly lease: number };
  /** Ends unfinished work. */
  readonly signal: AbortSignal;
  /** Called after each part that was written or read. */
  readonly onProgress?: OnProgress | undefined;
}

export type OnProgress = (progress: { action: "writing" | "reading"; done: number; total: number }) => void;

/** Parts that a transaction can make count, as long as they are there. */
export interface Upload {
  readonly write: string;
  readonly parts: number;
  /** The condition for the transaction. */
  readonly compare: { readonly key: string; readonly modRevision: number };
  /** Makes the parts last. @param owner what they belong to: the version of an entry, or `snapshot` */
  keep(owner: number | typeof SNAPSHOT): Put;
  /** Ends the work for the upload. Its parts are removed, unless they count. */
  end(): Promise<void>;
}

/** Thrown when a writer was slower than its lease: its parts may be gone. */
export class LostUploadError extends UnreachableError {
  override readonly message = "the write was slower than its lease; nothing was changed";
}

const SNAPSHOT = "snapshot";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/**
 * Writes bytes as parts that no transaction needs to hold. A key with a lease says that they are being written: parts
 * without it were left by a writer that was killed, which can't make them count any more.
 *
 * @throws LostUploadError; the errors of `commitUntilAnswered`
 */
export async function upload(target: UploadTarget, store: string, write: string, bytes: Buffer): Promise<Upload> {
  const { gateway, prefix, sealing, times, onProgress } = target;
  const key = prefix + UPLOADS_PREFIX + write;
  const packed = await zip(bytes, { level: 1 });
  const total = Math.ceil(packed.length / PART_BYTES);
  const lease = await gateway.grantLease(times.lease);
  const claim = { compare: [{ key, modRevision: 0 }], puts: [{ key, value: Buffer.from(write), lease }], deletes: [] };
  const commit = async (transaction: Transaction, findMade?: () => Promise<number | undefined>) => {
    const revision = await commitUntilAnswered(target, transaction, findMade).catch((error: Error) => {
      throw error instanceof UncertainError ? new UnreachableError(`${error.message}; nothing was changed`) : error;
    });
    if (revision === undefined) throw new LostUploadError();
    return revision;
  };
  const findClaim = async () => (await gateway.range({ key })).entries[0]?.modRevision;
  const compare = { key, modRevision: await commit(claim, findClaim) };
  // A failure shows in the next transaction.
  const keeping = setInterval(() => void gateway.keepLease(lease).catch(() => {}), times.lease / 4);
  const end = async () => {
    clearInterval(keeping);
    // Once they count, the key was replaced.
    const deletes = [partsOf(prefix, write), { key }];
    await gateway.commit({ compare: [compare], puts: [], deletes }).catch(() => {});
  };
  try {
    let done = 0;
    const numbers = Array.from({ length: total }, (_, number) => number).values();
    const work = async () => {
      for (const number of numbers) {
        const part = prefix + partKey(write, number);
        const slice = packed.subarray(number * PART_BYTES, (number + 1) * PART_BYTES);
        const put = { key: part, value: sealing.seal(slice, { store, write, key: part }) };
        await commit({ compare: [compare], puts: [put], deletes: [] });
        onProgress?.({ action: "writing", done: ++done, total });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  } catch (error) {
    await end();
    throw error;
  }
  const keep = (owner: number | typeof SNAPSHOT) => ({ key, value: Buffer.from(String(owner)) });
  return { write, parts: total, compare, keep, end };
}

/**
 * Sends a transaction until there is an answer, with twice the time after each attempt without one. Of several
 * deliveries, at most one must be able to succeed, or all must have the same effect.
 *
 * @param findMade the revision, if one without an answer was carried out
 * @returns the revision at which it was carried out; undefined if its conditions do not hold
 * @throws UncertainError without an answer; the errors of `Gateway.commit` and of `findMade`
 */
export async function commitUntilAnswered(
  { gateway, times, signal }: Pick<UploadTarget, "gateway" | "times" | "signal">,
  transaction: Transaction,
  findMade: () => Promise<number | undefined> = async () => undefined,
): Promise<number | undefined> {
  const endsAt = performance.now() + times.write;
  let isUncertain = false;
  for (let timeout = times.transaction; ; ) {
    const sentAt = performance.now();
    try {
      const { succeeded, revision } = await gateway.commit(transaction, timeout);
      if (succeeded) return revision;
      return isUncertain ? await findMade() : undefined;
    } catch (error) {
      if (!(error instanceof UncertainError) && !isUncertain) throw error;
      const hasEnded = !(error instanceof UncertainError) || performance.now() > endsAt || signal.aborted;
      if (hasEnded) throw new UncertainError((error as Error).message, { cause: error });
      isUncertain = true;
      // A connection that broke says nothing about the time that an answer takes.
      if (performance.now() - sentAt >= timeout) timeout = Math.min(2 * timeout, MAX_TIMEOUT_MS);
      await delay(Math.random() * PAUSE_MS);
    }
  }
}

/**
 * Reads the bytes of parts.
 *
 * @returns undefined if some are missing: they were removed
 * @throws InvalidDataError that names the key; the errors of `Gateway.range`
 */
export async function download(
  { gateway, prefix, sealing, signal, onProgress }: UploadTarget,
  { store, write, parts }: { store: string; write: string; parts: number },
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  while (pieces.length < parts) {
    const from = pieces.length;
    const range = {
      key: prefix + partKey(write, from),
      end: prefix + partKey(write, Math.min(parts, from + PAGE_PARTS)),
    };
    const { entries } = await gateway.range({ ...range, limit: PAGE_PARTS }, { signal });
    for (const { key, value } of entries) {
      if (key !== prefix + partKey(write, pieces.length)) return undefined;
      const piece = named(key, () => sealing.open(value, key));
      named(key, () => sealing.checkOwner(value, { store, write }));
      size += piece.length;
      if (size > MAX_DATA_SIZE) throw new InvalidDataError(`${key} is too large`);
      pieces.push(piece);
    }
    if (pieces.length === from) return undefined;
    onProgress?.({ action: "reading", done: pieces.length, total: parts });
  }
  return unzip(Buffer.concat(pieces), { maxOutputLength: MAX_DATA_SIZE }).catch(() => {
    throw new InvalidDataError(`${prefix}${partKey(write, 0)} can't be unpacked`);
  });
}

/**
 * Removes parts that nothing needs any more: those of killed writers, of earlier snapshots, and of entries before a
 * version.
 *
 * @param compare the condition for each removal
 * @param findSnapshots reads which snapshots are needed
 */
export async function sweep(
  { gateway, prefix }: Pick<UploadTarget, "gateway" | "prefix">,
  firstVersion: number,
  compare: Transaction["compare"],
  findSnapshots: () => Promise<readonly (SnapshotName | undefined)[]>,
): Promise<void> {
  // In this order: an upload is there before its parts and until it counts, and a snapshot counts as soon as it is kept.
  const parts = await listKeys(gateway, prefix + PARTS_PREFIX, true);
  const uploads = await listKeys(gateway, prefix + UPLOADS_PREFIX, false);
  const snapshots = new Set((await findSnapshots()).map((snapshot) => snapshot?.upload));
  const states = new Map<string, boolean>();
  for (const key of parts.keys()) states.set(writeOf(prefix + PARTS_PREFIX, key), false);
  for (const [key, owner] of uploads) {
    const write = writeOf(prefix + UPLOADS_PREFIX, key);
    const isEntry = /^\d{1,16}$/.test(owner);
    states.set(write, owner === SNAPSHOT ? snapshots.has(write) : !isEntry || Number(owner) >= firstVersion);
  }
  for (const [write, isNeeded] of states) {
    const deletes = [partsOf(prefix, write), { key: prefix + UPLOADS_PREFIX + write }];
    if (!isNeeded) await gateway.commit({ compare, puts: [], deletes });
  }
}

function writeOf(start: string, key: string): string {
  return key.slice(start.length).split("/", 1)[0] ?? "";
}

async function listKeys(gateway: Gateway, key: string, keysOnly: boolean): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let from = key;
  for (;;) {
    const { entries, hasMore } = await gateway.range({ key: from, end: endOf(key), limit: 1_000, keysOnly });
    for (const { key, value } of entries) found.set(key, value.toString("utf8", 0, MAX_OWNER_BYTES));
    const last = entries.at(-1);
    if (!hasMore || !last) return found;
    from = `${last.key}\0`;
  }
}

function partsOf(prefix: string, write: string): KeyRange {
  const key = `${prefix}${PARTS_PREFIX}${write}/`;
  return { key, end: endOf(key) };
}

/** The first key that does not begin with a prefix, which ends with a slash. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/** Adds the key to an error. @throws InvalidDataError */
export function named<T>(key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InvalidDataError ? new InvalidDataError(`${key} ${error.message}`) : error;
  }
}
