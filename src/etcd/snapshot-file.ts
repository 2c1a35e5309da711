import { createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { lstat, lutimes } from "node:fs/promises";
import { join } from "node:path";
import { InvalidDataError } from "../domain/errors.js";
import { sealParts, unsealBytes } from "../encryption/aes-gcm.js";
import { createFile, replaceFile } from "../files/durable-file.js";
import { withFileLock } from "../files/file-lock.js";
import { openForReading, readRegularFile, sizeText } from "../files/open-file.js";
import { makePrivateFolder, removeFiles } from "../files/private-folder.js";
import { hasCode, ifMissing, withPathInErrors } from "../files/system-errors.js";

/** The last data of a store, as it was written. */
interface SavedSnapshot {
  readonly bytes: Buffer;
  /** JSON. */
  readonly meta: unknown;
  /** When the data was last known to be the newest, in Unix milliseconds. */
  readonly savedAt: number;
}

/** The last data of a store on disk. Any number of processes can use it. */
export interface SnapshotFile {
  /** Undefined if there is none, or it was tampered with or sealed with another key. */
  read(): Promise<SavedSnapshot | undefined>;
  /**
   * Replaces all of it, durably.
   *
   * @param bytes not to be changed meanwhile
   * @throws InvalidDataError if it is too large, can't be locked, or was written but may be lost; Error if the folder is
   *   not a folder or another user's; the file system's error
   */
  write(bytes: Uint8Array, meta: unknown, savedAt: number): Promise<void>;
  /**
   * Records that the data that was last read or written here is still the newest. Does nothing before that.
   *
   * @throws NotDurableError, the file system's error
   */
  confirm(savedAt: number): Promise<void>;
}

/** Whose data is kept. */
export interface SnapshotOwner {
  readonly url: string;
  /** Undefined or empty for those that the store does not have. */
  readonly secrets: readonly (string | undefined)[];
}

const MAX_DATA_BYTES = 1_024 * 1_024 * 1_024;
/** Of the file, besides the data; and of each other file. */
const MAX_EXTRA_BYTES = 1_024 * 1_024;
/** Sealed at once: the event loop is busy for about a millisecond. */
const PART_BYTES = 1_024 * 1_024;
/** Of the length of the trailer, at the end. */
const LENGTH_BYTES = 4;
/** Snapshots of stores with other URLs or secrets are removed when they have not been used for 30 days. */
const MAX_UNUSED_MS = 30 * 86_400_000;

const KEY = /^([0-9a-f]{64})\n$/;
/** Snapshots, their confirmations, and temporary files that killed writers have left behind. */
const FILE_NAME = /^(?:[0-9a-f]{64}(?:\.confirmed)?|\.(?:key|[0-9a-f]{64}(?:\.confirmed)?)\.[0-9a-f]{12}\.tmp)$/;

/** That this data was the newest at this time. */
interface Confirmation extends Pick<SavedSnapshot, "savedAt"> {
  /** Hash of the data. */
  readonly id: string;
}

/** What follows the data in the file, so that the data is aligned. */
interface Trailer extends Confirmation, Pick<SavedSnapshot, "meta"> {}

/**
 * The last data of a store, in a folder with mode 0700. The files have mode 0600, and are sealed with a key that is
 * derived from the store's secrets by HKDF-SHA256 (RFC 5869). A store without secrets has a random key in the same
 * folder, which protects the data no more than the modes do.
 *
 * @param parent gets the folder, `snapshots`
 * @param user id of the user who runs this; undefined where the system has no such ids
 * @throws if there is no secret: InvalidDataError for a key that appvars has not made; Error if the folder is not a folder
 *   or another user's; the file system's error
 */
export async function openSnapshotFile(
  parent: string,
  { url, secrets }: SnapshotOwner,
  user: number | undefined,
): Promise<SnapshotFile> {
  const folder = join(parent, "snapshots");
  const hasSecret = secrets.some(Boolean);
  const secret = hasSecret ? JSON.stringify(secrets.map((each) => each ?? "")) : await keyOf(folder, user);
  const derive = (label: string) => Buffer.from(hkdfSync("sha256", secret, "", `appvars snapshot v1 ${label}`, 32));
  const key = derive("contents");
  const name = createHmac("sha256", derive("names")).update(url).digest("hex");
  const data = { path: join(folder, name), context: JSON.stringify(["data", url]) };
  const confirmed = { path: `${data.path}.confirmed`, context: JSON.stringify(["confirmed", url]) };
  /** Of the data that was last read or written. */
  let id: string | undefined;

  const readSealed = async ({ path, context }: typeof data, maxBytes: number): Promise<Buffer | undefined> => {
    try {
      const file = await openForReading(path, { followLinks: false });
      return unsealBytes(await readRegularFile(file, maxBytes), key, context);
    } catch {
      return undefined;
    }
  };

  return {
    async read() {
      const plain = await readSealed(data, MAX_DATA_BYTES + MAX_EXTRA_BYTES);
      if (plain === undefined) return undefined;
      // Authenticated, so it is what was sealed.
      const end = plain.length - LENGTH_BYTES;
      const start = end - plain.readUInt32BE(end);
      const trailer = JSON.parse(plain.toString("utf8", start, end)) as Trailer;
      const confirmation = (await readSealed(confirmed, MAX_EXTRA_BYTES))?.toString();
      const { id: confirmedId, savedAt } = JSON.parse(confirmation ?? "{}") as Partial<Confirmation>;
      // One of other data, or an earlier one, can only make the data seem older.
      const confirmedAt = confirmedId === trailer.id ? (savedAt ?? 0) : 0;
      id = trailer.id;
      return { bytes: plain.subarray(0, start), meta: trailer.meta, savedAt: Math.max(trailer.savedAt, confirmedAt) };
    },
    async write(bytes, meta, savedAt) {
      const { path, context } = data;
      if (bytes.length > MAX_DATA_BYTES)
        throw new InvalidDataError(`${path} can't be written: the limit is ${sizeText(MAX_DATA_BYTES)}`);
      await makePrivateFolder(folder, user);
      const hash = createHash("sha256");
      let written = "";
      const parts = function* () {
        for (let start = 0; start < bytes.length; start += PART_BYTES) {
          const part = bytes.subarray(start, start + PART_BYTES);
          hash.update(part);
          yield part;
        }
        written = hash.digest("base64");
        const trailer = Buffer.from(JSON.stringify({ id: written, meta, savedAt } satisfies Trailer));
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt32BE(trailer.length);
        yield Buffer.concat([trailer, length]);
      };
      await withPathInErrors(
        path,
        withFileLock(path, ({ replace }) => replace(sealParts(parts(), key, context))),
      );
      id = written;
      await removeFiles(folder, FILE_NAME, savedAt - MAX_UNUSED_MS).catch(() => {});
    },
    async confirm(savedAt) {
      if (id === undefined) return;
      const confirmation = Buffer.from(JSON.stringify({ id, savedAt } satisfies Confirmation));
      await replaceFile(confirmed.path, sealParts([confirmation], key, confirmed.context));
      // For processes of other stores, which remove what is not used.
      await lutimes(data.path, savedAt / 1_000, savedAt / 1_000).catch(() => {});
    },
  };
}

/** The random key in a folder. It is created if it is missing; processes that start at once get the same one. */
async function keyOf(folder: string, user: number | undefined): Promise<string> {
  await makePrivateFolder(folder, user);
  const path = join(folder, "key");
  if ((await lstat(path).catch(ifMissing(undefined))) === undefined) {
    await createFile(path, `${randomBytes(32).toString("hex")}\n`).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) throw error;
    });
  }
  // Put there before the folder was private, it would let another user make snapshots.
  const isOwn = user === undefined || (await lstat(path)).uid === user;
  const file = await openForReading(path, { followLinks: false });
  const [, key] = KEY.exec((await withPathInErrors(path, readRegularFile(file, MAX_EXTRA_BYTES))).toString()) ?? [];
  if (key === undefined || !isOwn) throw new InvalidDataError(`${path} is not a key that appvars has made: remove it`);
  return key;
}
