import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { withName } from "../kit/files/system-errors.js";
import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import { MAX_DATA_SIZE } from "../store/bytes/data-text.js";
import type { Data } from "../store/data.js";
import type { StoredKey } from "./answers.js";
import { type Claim, type Gateway, type KeyRange, UncertainError } from "./gateway.js";
import { KEYS, newId, partKey } from "./log.js";
import type { Owner, Sealing } from "./sealing.js";

/** The size of a part. By default, etcd accepts 1.5 MiB in one request. */
const PART_BYTES = 1_000_000;
/**
 * The number of parts in one answer, of which etcd holds several copies in
 * memory.
 */
const PAGE_PARTS = 8;
/** Requests at a time. */
const PARALLEL = 4;

export interface StoreTarget {
  readonly gateway: Gateway;
  readonly sealing: Sealing;
  /** Ends unfinished work. */
  readonly signal: AbortSignal;
  /**
   * Parses the bytes of a data file, which can't be used afterwards.
   *
   * @throws InvalidDataError
   */
  readonly parse: (bytes: Buffer, signal: AbortSignal) => Promise<Data>;
  readonly onProgress?: OnProgress | undefined;
}

export type OnProgress = (action: "writing" | "reading", done: number, total: number) => void;

/**
 * Parts that are not valid yet. The transaction that makes them valid replaces
 * their claim by a key without a lease, whose value is the version of their
 * entry, or "snapshot".
 */
export interface Upload extends Claim {
  readonly write: string;
  readonly parts: number;
}

/** Thrown when a writer was slower than its lease. */
export class LostUploadError extends UnreachableError {
  override readonly message = "the write was slower than its lease; nothing was changed";
}

export const SNAPSHOT = "snapshot";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/**
 * Writes bytes in parts. Parts without a key in `uploads/` were left by a
 * killed writer, and can no longer become valid.
 *
 * @throws LostUploadError
 */
export async function upload(target: StoreTarget, store: string, bytes: Buffer): Promise<Upload> {
  const write = newId();
  const packed = await zip(bytes, { level: 1 });
  const { gateway } = target;
  let claimed: Claim | undefined;
  try {
    // Once the parts are valid, their claim is replaced, and its end deletes
    // nothing.
    claimed = await gateway.claim(KEYS.uploads + write, gateway.times.lease, keysOf(write));
    if (!claimed) throw new LostUploadError();
    const parts = await putParts(target, { ...claimed, store, write }, packed);
    return { ...claimed, write, parts };
  } catch (error) {
    await claimed?.end();
    if (!(error instanceof UncertainError)) throw error;
    throw new UnreachableError(`${error.message}; nothing was changed`);
  }
}

/** Writes several parts at a time. Resolves to their number. */
async function putParts(
  { gateway, sealing, onProgress }: StoreTarget,
  { store, write, condition }: { store: string } & Pick<Upload, "write" | "condition">,
  packed: Buffer,
): Promise<number> {
  const total = Math.ceil(packed.length / PART_BYTES);
  let done = 0;
  const numbers = new Array(total).keys();
  const work = async () => {
    for (const number of numbers) {
      const part = packed.subarray(number * PART_BYTES, (number + 1) * PART_BYTES);
      const key = partKey(write, number);
      const value = sealing.seal(part, { store, write, key: gateway.prefix + key });
      const transaction = { conditions: [condition], puts: [{ key, value }] };
      if ((await gateway.commit(transaction)) === undefined) throw new LostUploadError();
      onProgress?.("writing", ++done, total);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return total;
}

/**
 * Reads the parts of an upload; `undefined` if some were removed.
 *
 * @throws InvalidDataError
 */
export async function download(
  target: StoreTarget,
  { store, write, parts }: { store: string; write: string; parts: number },
): Promise<Buffer | undefined> {
  const { gateway, signal, onProgress } = target;
  const nameOf = (number: number) => gateway.prefix + partKey(write, number);
  const ownerOf = () => ({ store, write });
  const pieces: Buffer[] = [];
  let size = 0;
  while (pieces.length < parts) {
    const key = partKey(write, pieces.length);
    const end = partKey(write, parts);
    const page = await gateway.range({ key, end, limit: PAGE_PARTS }, { signal });
    if (page.length === 0) return undefined;
    for (const part of page) {
      if (part.key !== partKey(write, pieces.length)) return undefined;
      const piece = openKey(target, part, (bytes) => bytes, ownerOf);
      size += piece.length;
      if (size > MAX_DATA_SIZE) throw new InvalidDataError(`${nameOf(pieces.length)} is too large`);
      pieces.push(piece);
    }
    onProgress?.("reading", pieces.length, parts);
  }
  return unzip(Buffer.concat(pieces), { maxOutputLength: MAX_DATA_SIZE }).catch(() => {
    throw new InvalidDataError(`${nameOf(0)} can't be unpacked`);
  });
}

/**
 * Returns the value of each upload's key; `""` for parts that a killed writer
 * left.
 */
export async function listUploads({ gateway }: StoreTarget): Promise<Map<string, string>> {
  const { ranges } = await gateway.ranges([
    { key: KEYS.parts, end: prefixRangeEnd(KEYS.parts), keysOnly: true },
    { key: KEYS.uploads, end: prefixRangeEnd(KEYS.uploads) },
  ]);
  // Parts are read without values. Uploads come after them, and set theirs.
  return new Map(ranges.flat().map(({ key, value }) => [key.split("/")[1] ?? "", String(value)]));
}

export function keysOf(write: string): KeyRange[] {
  const key = `${KEYS.parts}${write}/`;
  return [{ key, end: prefixRangeEnd(key) }, { key: KEYS.uploads + write }];
}

/** Returns the first key after all keys with a prefix, which ends with a slash. */
export function prefixRangeEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/**
 * Opens a value, and checks that it was sealed for its owner.
 *
 * @throws InvalidDataError
 */
export function openKey<T>(
  { gateway, sealing }: StoreTarget,
  { key, value }: Pick<StoredKey, "key" | "value">,
  parse: (bytes: Buffer) => T,
  ownerOf: (content: T) => Owner,
): T {
  const name = gateway.prefix + key;
  try {
    const content = parse(sealing.open(value, name));
    sealing.checkOwner(value, ownerOf(content));
    return content;
  } catch (error) {
    throw withName(name, error);
  }
}
