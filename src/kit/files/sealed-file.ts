import { createHmac, hkdfSync } from "node:crypto";
import { lutimes, rm } from "node:fs/promises";
import { join } from "node:path";
import { MAX_KEPT_S } from "../../model/defaults.js";
import { SEAL_BYTES, sealParts, unsealBytes } from "../crypto/aes-gcm.js";
import { InvalidDataError } from "../text/errors.js";
import { replaceFile } from "./durable-file.js";
import { readRegularFile, sizeText } from "./open-file.js";
import { makePrivate, makePrivateFolder, removeFiles } from "./private-folder.js";
import { ifMissing, withPathInErrors } from "./system-errors.js";

export interface SealedFileOptions {
  /** Gets the folder, `snapshots`. */
  parent: string;
  /** The kind of data, and the version of its form: `cache v3`. */
  kind: string;
  /** Whose data it is. */
  owner: string;
  /** Name and key of the file are derived from it. */
  secret: string;
  /** Id of the user who runs this; undefined where the system has no such ids. */
  user: number | undefined;
}

/** The last data from somewhere else, as it was written. */
export interface KeptData {
  readonly bytes: Buffer;
  /**
   * When it was last known to be the newest, in Unix milliseconds. Unlike the bytes, it is not
   * authenticated.
   */
  readonly savedAt: number;
}

const MAX_BYTES = 1_024 * 1_024 * 1_024;
/** Sealed at once: the event loop is busy for about a millisecond. */
const PART_BYTES = 1_024 * 1_024;
const HOUR_MS = 3_600_000;

const FILE_NAME = /^[0-9a-f]{64}$/;
/** Left by a writer that was killed. */
const TEMPORARY_NAME = /^\.[0-9a-f]{64}\.[0-9a-f]{12}\.tmp$/;

/**
 * A file with mode 0600 in a folder with mode 0700, sealed with a key that is derived from a secret
 * by HKDF-SHA256 (RFC 5869). Replaced atomically, so that any number of processes can use it. Files
 * that were not used for 30 days are removed.
 */
export class SealedFile {
  readonly folder: string;
  readonly #path: string;
  readonly #key: Buffer;
  readonly #owner: string;
  readonly #user: number | undefined;

  constructor({ parent, kind, owner, secret, user }: SealedFileOptions) {
    const derive = (use: string) =>
      Buffer.from(hkdfSync("sha256", secret, "", `appvars ${kind} ${use}`, 32));
    this.folder = join(parent, "snapshots");
    this.#path = join(
      this.folder,
      createHmac("sha256", derive("names")).update(owner).digest("hex"),
    );
    this.#key = derive("contents");
    this.#owner = owner;
    this.#user = user;
  }

  /** Undefined if there is none, or it was changed or sealed with another key. */
  async read(): Promise<KeptData | undefined> {
    try {
      await makePrivate(this.folder, this.#user);
      const sealed = await readRegularFile(this.#path, MAX_BYTES + SEAL_BYTES, {
        followLinks: false,
      });
      const bytes = unsealBytes(sealed.bytes, this.#key, this.#owner);
      return bytes && { bytes, savedAt: Math.round(sealed.stats.mtimeMs) };
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces all of it, durably.
   *
   * @param bytes not to be changed meanwhile
   * @throws InvalidDataError if it is too large; Error if the folder is not a folder or another
   *   user's; NotDurableError;
   *   the file system's error
   */
  async write(bytes: Uint8Array, savedAt: number): Promise<void> {
    if (bytes.length > MAX_BYTES)
      throw new InvalidDataError(
        `${this.#path} can't be written: the limit is ${sizeText(MAX_BYTES)}`,
      );
    await makePrivateFolder(this.folder, this.#user);
    const content = sealParts(partsOf(bytes), this.#key, this.#owner);
    await withPathInErrors(
      this.#path,
      replaceFile(this.#path, content, (file) => file.utimes(savedAt / 1_000, savedAt / 1_000)),
    );
    await removeFiles(this.folder, FILE_NAME, savedAt - MAX_KEPT_S * 1_000);
    await removeFiles(this.folder, TEMPORARY_NAME, savedAt - HOUR_MS);
  }

  /** Records that the data is still the newest. @throws the file system's error */
  async confirm(savedAt: number): Promise<void> {
    await lutimes(this.#path, savedAt / 1_000, savedAt / 1_000).catch(ifMissing(undefined));
  }

  /** @throws Error if the folder is not a folder or another user's; the file system's error */
  async remove(): Promise<void> {
    const removed = makePrivate(this.folder, this.#user).then(() =>
      rm(this.#path, { force: true }),
    );
    await removed.catch(ifMissing(undefined));
  }
}

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PART_BYTES)
    yield bytes.subarray(start, start + PART_BYTES);
}
