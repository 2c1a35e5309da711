import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { withName } from "../kit/files/system-errors.js";
import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import { MAX_DATA_SIZE } from "../store/file/data-file.js";
import type { StoredKey } from "./answers.js";
import { type Gateway, type KeyRange, type Put, UncertainError } from "./gateway.js";
import { KEYS, newId, partKey } from "./log.js";
import type { Sealing } from "./sealing.js";

/** The size of a part: etcd takes 1.5 MiB in one request by default. */
const PART_BYTES = 1_000_000;
/** Parts in one answer. etcd has several copies of it in memory. */
const PAGE_PARTS = 8;
/** Requests that are open at a time. */
const PARALLEL = 4;

export interface UploadTarget {
  readonly gateway: Gateway;
  readonly prefix: string;
  readonly sealing: Sealing;
  /** Ends unfinished work. */
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress | undefined;
}

export type OnProgress = (progress: {
  action: "writing" | "reading";
  done: number;
  total: number;
}) => void;

/** A key on a lease: it is there for as long as its owner works, and ends if its owner is killed. */
export interface Claim {
  /** The claim as a condition of its owner's transactions. */
  readonly compare: { readonly key: string; readonly modRevision: number };
  /**
   * Gives it up, unless it was replaced.
   *
   * @param deletes the keys to delete; by default, that of the claim
   */
  end(deletes?: readonly KeyRange[]): Promise<void>;
}

/** Parts that a transaction can make valid, as long as their claim is there. */
export interface Upload extends Claim {
  readonly write: string;
  readonly parts: number;
  /**
   * Makes the parts last.
   *
   * @param owner what they belong to: the version of an entry, or `snapshot`
   */
  keep(owner: number | typeof SNAPSHOT): Put;
}

/** Thrown when a writer was slower than its lease. */
export class LostUploadError extends UnreachableError {
  override readonly message = "the write was slower than its lease; nothing was changed";
}

/** The owner of the parts of a snapshot. */
export const SNAPSHOT = "snapshot";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/**
 * Puts a key on a lease.
 *
 * @returns `undefined` if the key is there already
 * @throws the errors of `Gateway.commit`
 */
export async function claim(
  { gateway, prefix }: UploadTarget,
  name: string,
  milliseconds: number,
): Promise<Claim | undefined> {
  const key = prefix + name;
  if ((await gateway.range({ key })).entries.length > 0) return undefined;
  const lease = await gateway.grantLease(milliseconds);
  const puts = [{ key, value: Buffer.from(newId()), lease }];
  const modRevision = await gateway.commit({ compare: [{ key, modRevision: 0 }], puts });
  if (modRevision === undefined) return undefined;
  const compare = { key, modRevision };
  // A failure shows in the next transaction.
  const keeping = setInterval(
    () => void gateway.keepLease(lease).catch(() => {}),
    milliseconds / 4,
  );
  const end = async (deletes: readonly KeyRange[] = [{ key }]) => {
    clearInterval(keeping);
    await gateway
      .commit({ compare: [compare], deletes }, { within: gateway.times.attempt })
      .catch(() => {});
  };
  return { compare, end };
}

/**
 * Writes bytes as parts that no transaction needs to hold. Their claim, a key on a lease, says that
 * they are being written. Parts without a claim were left by a killed writer, and can't become
 * valid any more.
 *
 * @throws LostUploadError, UnreachableError: nothing was changed; the other errors of
 *   `Gateway.commit`
 */
export async function upload(
  target: UploadTarget,
  store: string,
  write: string,
  bytes: Buffer,
): Promise<Upload> {
  const { gateway, prefix } = target;
  const packed = await zip(bytes, { level: 1 });
  const name = KEYS.uploads + write;
  const claimed = await claim(target, name, gateway.times.lease).catch(explainUncertain);
  if (!claimed) throw new LostUploadError();
  const { compare } = claimed;
  // Once the parts are valid, their claim was replaced, and this deletes nothing.
  const end = () => claimed.end(keysOf(prefix, write));
  const keep = (owner: number | typeof SNAPSHOT) => ({
    key: prefix + name,
    value: Buffer.from(String(owner)),
  });
  try {
    const parts = await putParts(target, { store, write, compare }, packed);
    return { write, parts, compare, keep, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Writes several parts at a time. Resolves to their number. */
async function putParts(
  target: UploadTarget,
  { store, write, compare }: { store: string } & Pick<Upload, "write" | "compare">,
  packed: Buffer,
): Promise<number> {
  const { gateway, prefix, sealing, onProgress } = target;
  const total = Math.ceil(packed.length / PART_BYTES);
  let done = 0;
  const numbers = new Array(total).keys();
  const work = async () => {
    for (const number of numbers) {
      const key = prefix + partKey(write, number);
      const part = packed.subarray(number * PART_BYTES, (number + 1) * PART_BYTES);
      const value = sealing.seal(part, { store, write, key });
      const transaction = { compare: [compare], puts: [{ key, value }] };
      if ((await gateway.commit(transaction).catch(explainUncertain)) === undefined)
        throw new LostUploadError();
      onProgress?.({ action: "writing", done: ++done, total });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return total;
}

function explainUncertain(error: Error): never {
  throw error instanceof UncertainError
    ? new UnreachableError(`${error.message}; nothing was changed`)
    : error;
}

/** @returns undefined if parts were removed @throws InvalidDataError; as `Gateway.range` */
export async function download(
  target: UploadTarget,
  { store, write, parts }: { store: string; write: string; parts: number },
): Promise<Buffer | undefined> {
  const { gateway, prefix, signal, onProgress } = target;
  const pieces: Buffer[] = [];
  let size = 0;
  while (pieces.length < parts) {
    const key = prefix + partKey(write, pieces.length);
    const end = prefix + partKey(write, parts);
    const { entries } = await gateway.range({ key, end, limit: PAGE_PARTS }, { signal });
    if (entries.length === 0) return undefined;
    for (const part of entries) {
      if (part.key !== prefix + partKey(write, pieces.length)) return undefined;
      const piece = openKey(
        target,
        part,
        (bytes) => bytes,
        () => ({ store, write }),
      );
      size += piece.length;
      if (size > MAX_DATA_SIZE) throw new InvalidDataError(`${part.key} is too large`);
      pieces.push(piece);
    }
    onProgress?.({ action: "reading", done: pieces.length, total: parts });
  }
  return unzip(Buffer.concat(pieces), { maxOutputLength: MAX_DATA_SIZE }).catch(() => {
    throw new InvalidDataError(`${prefix}${partKey(write, 0)} can't be unpacked`);
  });
}

/**
 * What each upload belongs to: the version of an entry, {@link SNAPSHOT}, or a claim; an empty text
 * for parts that a killed writer has left. An upload is there before its parts and until it counts.
 */
export async function listUploads({ gateway, prefix }: UploadTarget): Promise<Map<string, string>> {
  const [parts, uploads] = await gateway.ranges([
    { key: prefix + KEYS.parts, end: endOf(prefix + KEYS.parts), keysOnly: true },
    { key: prefix + KEYS.uploads, end: endOf(prefix + KEYS.uploads) },
  ]);
  const writeOf = (key: string) => key.slice(prefix.length).split("/", 2)[1] ?? "";
  const owners = new Map(parts?.entries.map(({ key }) => [writeOf(key), ""]));
  for (const { key, value } of uploads?.entries ?? [])
    owners.set(writeOf(key), value.toString("utf8"));
  return owners;
}

export function keysOf(prefix: string, write: string): KeyRange[] {
  const key = `${prefix}${KEYS.parts}${write}/`;
  return [{ key, end: endOf(key) }, { key: prefix + KEYS.uploads + write }];
}

/** The first key that does not begin with a prefix, which ends with a slash. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/**
 * Opens the value of a key, and checks that it was sealed for the owner that `ownerOf` returns.
 *
 * @throws InvalidDataError that names the key
 */
export function openKey<T>(
  { sealing }: Pick<UploadTarget, "sealing">,
  { key, value }: Pick<StoredKey, "key" | "value">,
  parse: (bytes: Buffer) => T,
  ownerOf: (content: T) => { store: string; write?: string },
): T {
  try {
    const content = parse(sealing.open(value, key));
    sealing.checkOwner(value, ownerOf(content));
    return content;
  } catch (error) {
    throw withName(key, error);
  }
}
