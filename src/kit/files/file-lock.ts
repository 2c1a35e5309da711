import {
  type FileHandle,
  lstat,
  mkdir,
  readdir,
  rename,
  rmdir,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createToken, findProcess, type NamedProcess } from "../process/process-token.js";
import { InvalidDataError } from "../text/errors.js";
import { command } from "../text/shell.js";
import {
  FileChangedError,
  fingerprint,
  type NewContent,
  refuseChanged,
  replaceFile,
  targetOfTemporary,
} from "./durable-file.js";
import { keepOwner, refuseReadOnly } from "./owners.js";
import { hasCode, ifMissing, statIfExists } from "./system-errors.js";

/** @param beforeRename throwing prevents the replacement */
export type ReplaceFile = (
  content: NewContent,
  beforeRename?: () => Promise<void>,
) => Promise<string>;

interface LockOptions {
  /** Cancels the wait, and prevents the replacement. */
  signal?: AbortSignal | undefined;
  /**
   * The name of another file in the folder that only a holder of the lock
   * replaces.
   */
  alsoReplaced?: string;
  /** Whether the group of the file keeps its read permission. */
  keepsReaders?: boolean;
  wait?: LockWait;
}

export interface LockWait {
  /** Milliseconds on a monotonic clock. */
  ticks(): number;
  pause(signal: AbortSignal | undefined): Promise<unknown>;
}

const REAL_WAIT: LockWait = {
  ticks: () => performance.now(),
  // Random, so that waiting writers don't keep trying together.
  pause: (signal) => delay(5 + Math.random() * 55, undefined, { signal }),
};

/** The longest wait for one holder. The total wait has no limit. */
const MAX_WAIT_S = 30;
const MAX_TRIES = 10;

/**
 * Runs `work` while no other appvars process writes the file at `path`, which
 * must not be a link. The file may be missing.
 *
 * The lock is the folder `path.lock`; its holder is the process whose token is
 * the only file in it. A rename creates it together with the token. An empty
 * folder would not be enough: when two writers find the same stale lock, the
 * slower one would remove the lock that the faster one has just taken. A token
 * is only removed by a writer that has read it.
 *
 * A live process never loses its lock, however long it is busy or stopped. The
 * lock of a dead process is taken over immediately. If its state is unknown, as
 * on another host, an operator has to remove the lock.
 *
 * @param work gets a function that replaces the file like `replaceFile`, and
 *   keeps its owner and group. It is called again if something else, such as an
 *   editor, has changed the file in the meantime
 * @throws InvalidDataError when the same holder has kept the lock for 30 s,
 *   something else is in its place, the file is read-only or keeps changing, or
 *   the lock was removed; the file system's errors; the errors of `work`; the
 *   signal's reason
 */
export async function withFileLock<T>(
  path: string,
  work: (replace: ReplaceFile) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const token = createToken();
  await acquire(path, token, options);
  try {
    await removeLeftovers(path, options.alsoReplaced);
    for (let tries = 1; ; tries++) {
      try {
        return await work(await replacer(path, options));
      } catch (error) {
        const mayTry = error instanceof FileChangedError && tries < MAX_TRIES;
        if (!mayTry || !statIfExists(join(lockPathOf(path), token))) throw error;
      }
    }
  } finally {
    await removeLock(lockPathOf(path), token);
  }
}

async function replacer(path: string, { signal, keepsReaders }: LockOptions): Promise<ReplaceFile> {
  const version = fingerprint(path);
  const old = await stat(path).catch(ifMissing);
  if (old) refuseReadOnly(path, old);
  return (content, beforeRename) => {
    const prepare = async (file: FileHandle) => {
      if (old) await keepOwner({ ...old, mode: keepsReaders ? old.mode : 0 }, file);
      signal?.throwIfAborted();
      refuseChanged(path, version);
      await beforeRename?.();
    };
    return replaceFile(path, content, prepare, version);
  };
}

/** Creates a lock under another name, and renames it once the lock is free. */
async function acquire(path: string, token: string, options: LockOptions): Promise<void> {
  const staged = `${lockPathOf(path)}.${token}`;
  await mkdir(staged, 0o755);
  try {
    await writeFile(join(staged, token), "", { flag: "wx", mode: 0o600 });
    await moveWhenFree(staged, path, options);
  } catch (error) {
    await removeLock(staged, token);
    throw error;
  }
}

async function moveWhenFree(
  staged: string,
  path: string,
  { signal, wait = REAL_WAIT }: LockOptions,
): Promise<void> {
  const lockPath = lockPathOf(path);
  let waitsFor: string | undefined = "";
  let since = 0;
  while (!(await tryToMove(staged, lockPath))) {
    signal?.throwIfAborted();
    const holder = await lockHolder(path);
    const isFree = !holder || holder.state === "dead";
    if (isFree && (await removeLock(lockPath, holder?.token))) continue;
    const now = wait.ticks();
    if (holder?.token !== waitsFor) [waitsFor, since] = [holder?.token, now];
    if (now - since > MAX_WAIT_S * 1_000)
      throw new InvalidDataError(describeLock(lockPath, holder));
    await wait.pause(signal);
  }
}

/** @returns whether the lock was free, or an empty folder */
async function tryToMove(staged: string, lockPath: string): Promise<boolean> {
  try {
    await rename(staged, lockPath);
    return true;
  } catch (error) {
    const isTaken = hasCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR");
    // On Windows, a folder that exists or is being removed.
    if (isTaken || (platform() === "win32" && hasCode(error, "EPERM", "EACCES", "EBUSY")))
      return false;
    throw error;
  }
}

function describeLock(lockPath: string, holder: NamedProcess | undefined): string {
  const by = holder?.text ?? "an unknown process";
  const message = `is locked: ${lockPath} has been held for ${MAX_WAIT_S} s by ${by}`;
  return holder?.state === "alive"
    ? message
    : `${message}; if it has ended, run: ${command`rm -r ${lockPath}`}`;
}

/**
 * Removes the temporary files and unfinished locks that killed writers have
 * left behind.
 *
 * This also fences off a writer that was only suspended, and whose lock an
 * operator has removed: without its temporary file, its rename fails. If it has
 * already renamed the file, the new holder reads its data. So it is an error if
 * a temporary file can't be removed.
 */
async function removeLeftovers(path: string, alsoReplaced = basename(path)): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(lockPathOf(path))}.`;
  for (const name of await readdir(folder)) {
    const replaced = targetOfTemporary(name);
    if (replaced === basename(path) || replaced === alsoReplaced)
      await unlink(join(folder, name)).catch(ifMissing);
    if (!name.startsWith(prefix)) continue;
    const token = name.slice(prefix.length);
    if (findProcess(token)?.state === "dead") await removeLock(join(folder, name), token);
  }
}

/**
 * @returns whether the lock is gone; the lock of another writer is not empty,
 *   and stays
 */
async function removeLock(folder: string, token: string | undefined): Promise<boolean> {
  try {
    // A killed writer may have created only the folder.
    if (token) await unlink(join(folder, token)).catch(ifMissing);
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the holder of the lock of the file at `path`; `undefined` without a
 * lock, and for an empty folder. Since dead locks are removed, anything but a
 * folder of tokens is refused.
 *
 * @throws InvalidDataError
 */
export async function lockHolder(path: string): Promise<NamedProcess | undefined> {
  const lockPath = lockPathOf(path);
  const stats = await lstat(lockPath).catch(ifMissing);
  if (!stats) return undefined;
  const names = stats.isDirectory() ? await readdir(lockPath).catch(ifMissing) : [lockPath];
  const holders = (names ?? []).map(findProcess);
  if (holders.includes(undefined))
    throw new InvalidDataError(
      `can't be locked: ${lockPath} is not an appvars lock; check it, and move it elsewhere`,
    );
  return holders[0];
}

function lockPathOf(path: string): string {
  return `${path}.lock`;
}
