import { createHmac, hkdfSync } from "node:crypto";
import { lstat, lutimes, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SEAL_BYTES, sealParts, unsealBytes } from "../crypto/aes-gcm.js";
import { tooLargeError } from "../text/errors.js";
import { makeFolder, makePrivate, replaceFile } from "./durable-file.js";
import { readRegularFile } from "./read-file.js";
import { ifMissing, withName, withPathInErrors } from "./system-errors.js";

export interface SealedCacheOptions {
  /** The folder in which the folder `snapshots` is created. */
  parent: string;
  /** The kind of data, and the version of its format: `appvars cache v3`. */
  kind: string;
  context: string;
  /** The name and the key of the file are derived from it. */
  secret: string;
  /** `undefined` if the system has no user ids. */
  user: number | undefined;
  /** Milliseconds after which an unused file in the folder is removed. */
  maxUnused: number;
}

interface SavedData {
  readonly bytes: Buffer;
  /**
   * The time when the data was last known to be the newest, in Unix
   * milliseconds. Unlike the bytes, it is not authenticated.
   */
  readonly savedAt: number;
}

const MAX_BYTES = 1_024 * 1_024 * 1_024;
/** Sealing a part of this size takes about a millisecond. */
const PART_BYTES = 1_024 * 1_024;

/** The name of a sealed file, or of a temporary file of a killed writer. */
const FILE_NAME = /^(?:[0-9a-f]{64}|\.[0-9a-f]{64}\.[0-9a-f]{12}\.tmp)$/;

/**
 * A file with mode 0600 in a folder with mode 0700, sealed with a key that is
 * derived from a secret by HKDF-SHA256 (RFC 5869). Writes are atomic, so any
 * number of processes can use it.
 */
export class SealedCache {
  readonly folder: string;
  readonly #path: string;
  readonly #key: Buffer;
  readonly #options: SealedCacheOptions;

  constructor(options: SealedCacheOptions) {
    const { parent, kind, context, secret } = options;
    const derive = (use: string) =>
      Buffer.from(hkdfSync("sha256", secret, "", `${kind} ${use}`, 32));
    const name = createHmac("sha256", derive("names")).update(context).digest("hex");
    this.folder = join(parent, "snapshots");
    this.#path = join(this.folder, name);
    this.#key = derive("contents");
    this.#options = options;
  }

  /** Resolves to `undefined` for a missing or damaged file, or another key. */
  async read(): Promise<SavedData | undefined> {
    try {
      await makePrivate(this.folder, this.#options.user);
      const sealed = await readRegularFile(this.#path, MAX_BYTES + SEAL_BYTES, {
        followLinks: false,
      });
      const bytes = unsealBytes(sealed.bytes, this.#key, this.#options.context);
      return bytes && { bytes, savedAt: Math.round(sealed.stats.mtimeMs) };
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces the file durably.
   *
   * @param bytes must not be changed until this resolves
   * @throws InvalidDataError if they are too large; NotDurableError; errors of
   *   `makePrivate`; the file system's error
   */
  async write(bytes: Uint8Array, savedAt: number): Promise<void> {
    if (bytes.length > MAX_BYTES)
      throw withName(this.#path, tooLargeError(bytes.length, MAX_BYTES));
    const { context, user, maxUnused } = this.#options;
    await makeFolder(this.folder);
    await makePrivate(this.folder, user);
    const content = sealParts(partsOf(bytes), this.#key, context);
    const seconds = savedAt / 1_000;
    await withPathInErrors(
      this.#path,
      replaceFile(this.#path, content, (file) => file.utimes(seconds, seconds)),
    );
    await this.#removeUnused(savedAt - maxUnused);
  }

  async #removeUnused(before: number): Promise<void> {
    for (const name of (await readdir(this.folder)).filter((name) => FILE_NAME.test(name))) {
      const path = join(this.folder, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.isFile() && stats.mtimeMs < before) await rm(path, { force: true });
    }
  }

  /** Records that the data is still the newest. */
  async confirm(savedAt: number): Promise<void> {
    await lutimes(this.#path, savedAt / 1_000, savedAt / 1_000).catch(ifMissing);
  }

  async remove(): Promise<void> {
    const ready = makePrivate(this.folder, this.#options.user);
    await ready.then(() => rm(this.#path, { force: true })).catch(ifMissing);
  }
}

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PART_BYTES)
    yield bytes.subarray(start, start + PART_BYTES);
}
