import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, rmdir, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError } from "../domain/errors.js";

// A holder renews its lock each second. One that was killed does not, and after 5 s the next writer takes the
// lock over.
export const STALE_MS = 5_000;
const RENEW_MS = 1_000;
const PATIENCE_MS = 30_000;

/** Where the lock of the file at `path`, which must be no link, is while it is held. */
export function lockPathOf(path: string): string {
  return `${path}.lock`;
}

/** A lock that is held, as far as this process can know. */
export interface HeldLock {
  /** @throws InvalidDataError when the lock was lost to a writer that took this process for dead */
  check(): Promise<void>;
}

/**
 * Runs `work` while no other process of ours writes the file at `path`, which must be no link.
 *
 * The lock is the folder `path.lock`, held by who is alone in it with a file named by a random token. Not
 * proper-lockfile, whose folder is empty: of two writers that find the same lock stale, the slower one there removes
 * the lock that the quicker one has just made, and both go on; acknowledged writes were lost so. Here a lock with
 * a token in it can only be removed by who has read that very token.
 *
 * @throws InvalidDataError when the lock can't be had within 30 s; the file system's errors; what `work` throws
 */
export async function withFileLock<T>(path: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
  const lockPath = lockPathOf(path);
  const token = randomBytes(8).toString("hex");
  await acquire(lockPath, token);
  const renewal = setInterval(() => renew(lockPath, token), RENEW_MS).unref();
  const check = async () => {
    if (!(await holders(lockPath)).includes(token)) throw new InvalidDataError("was not written: its lock was lost");
  };
  try {
    return await work({ check });
  } finally {
    clearInterval(renewal);
    await release(lockPath, token);
  }
}

async function acquire(lockPath: string, token: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await tryToAcquire(lockPath, token))) {
    if (Date.now() > deadline) {
      throw new InvalidDataError("is locked: others have been writing it for more than 30 s");
    }
    // Who has removed a stale lock need not wait for it.
    if (!(await removeIfStale(lockPath))) await delay(5 + Math.random() * 55);
  }
}

async function tryToAcquire(lockPath: string, token: string): Promise<boolean> {
  try {
    await mkdir(lockPath, 0o700);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    return false;
  }
  try {
    await writeFile(join(lockPath, token), "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    // As long as it is empty, another may take the new lock for the stale one that was there, and remove it.
    if (hasCode(error, "ENOENT")) return false;
    await rmdir(lockPath).catch(() => {});
    throw error;
  }
  // Two that have come into one lock both leave it, unless one was alone before the other came.
  if ((await holders(lockPath)).join() === token) return true;
  await release(lockPath, token);
  return false;
}

async function removeIfStale(lockPath: string): Promise<boolean> {
  const tokens = await holders(lockPath);
  // Looked at after the tokens: a lock that was taken over in between is fresh.
  const lock = await stat(lockPath).catch(() => undefined);
  if (!lock || Date.now() - lock.mtimeMs < STALE_MS) return false;
  for (const token of tokens) await unlink(join(lockPath, token)).catch(() => {});
  // Refused while there is another's token in it.
  return rmdir(lockPath).then(
    () => true,
    () => false,
  );
}

async function renew(lockPath: string, token: string): Promise<void> {
  const now = new Date();
  await access(join(lockPath, token))
    .then(() => utimes(lockPath, now, now))
    .catch(() => {});
}

async function release(lockPath: string, token: string): Promise<void> {
  // Without the token in it, the lock is another's.
  await unlink(join(lockPath, token))
    .then(() => rmdir(lockPath))
    .catch(() => {});
}

async function holders(lockPath: string): Promise<string[]> {
  return readdir(lockPath).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
