import { stat } from "node:fs/promises";
import { lock } from "proper-lockfile";
import { InvalidDataError } from "../domain/errors.js";

// A holder renews the lock each second. One that was killed does not, and after 5 s the next writer takes
// the lock over.
const STALE_MS = 5_000;
const RENEW_MS = 1_000;
const PATIENCE = { retries: 10_000, factor: 1.1, minTimeout: 5, maxTimeout: 60, maxRetryTime: 30_000, randomize: true };

/** A lock that is held, as far as this process can know. */
export interface HeldLock {
  /** @throws InvalidDataError when the lock was lost to a writer that took this process for dead */
  check(): Promise<void>;
}

/**
 * Runs `work` while no other process of ours writes the file at `path`, which must be no link.
 *
 * @throws InvalidDataError when the lock can't be had within 30 s; the file system's errors; what `work` throws
 */
export async function withFileLock<T>(path: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
  const lockPath = `${path}.lock`;
  let lost = false;
  const release = await acquire(path, lockPath, () => {
    lost = true;
  });
  const mine = await identity(lockPath);
  const check = async () => {
    // The renewal notices a loss within a second only; who holds it now is seen at once.
    if (lost || (await identity(lockPath)) !== mine) throw new InvalidDataError("was not written: its lock was lost");
  };
  try {
    return await work({ check });
  } finally {
    // A lock that was lost is another's by now.
    if (!lost) await release().catch(() => {});
  }
}

async function acquire(path: string, lockfilePath: string, onCompromised: () => void): Promise<() => Promise<void>> {
  const options = { realpath: false, lockfilePath, stale: STALE_MS, update: RENEW_MS, retries: PATIENCE };
  try {
    return await lock(path, { ...options, onCompromised });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
    throw new InvalidDataError("is locked: others have been writing it for more than 30 s", { cause: error });
  }
}

async function identity(lockPath: string): Promise<string> {
  const { ino, birthtimeNs } = await stat(lockPath, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}
