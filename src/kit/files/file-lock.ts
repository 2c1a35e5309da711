import { constants } from "node:fs";
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
import { createToken, type Holder, holderOf } from "../process/process-token.js";
import { InvalidDataError } from "../text/errors.js";
import { command } from "../text/shell.js";
import { fingerprint, isTemporary, type NewContent, replaceFile } from "./durable-file.js";
import { type Ownership, refuseReadOnly } from "./owners.js";
import { hasCode, ifMissing } from "./system-errors.js";

/** @param beforeRename throwing prevents the replacement */
export type ReplaceFile = (
  content: NewContent,
  beforeRename?: () => Promise<void>,
) => Promise<string>;

interface LockOptions {
  /** Cancels the wait, and prevents the replacement. */
  signal?: AbortSignal | undefined;
  /** Other files in the folder that only holders of the lock replace. */
  also?: readonly string[];
  /** Whether the group of the file keeps its read permission. */
  keepsReaders?: boolean;
}

/** The longest wait for one holder. The total has no limit. */
const MAX_WAIT_S = 30;
/** How many times `work` is called if another program keeps changing the file. */
const MAX_TRIES = 10;

/** Thrown when another program has changed a file that was about to be replaced. */
export class ChangedError extends InvalidDataError {
  constructor() {
    super("was not written: another program has changed it in the meantime; try again");
  }
}

/**
 * Runs `work` while no other appvars process writes the file at `path`, which must not be a link,
 * and may be missing.
 *
 * The lock is the folder `path.lock`; its holder is the process whose token is the only file in it.
 * It appears with the token, by a rename. An empty folder would not do: when two writers find the
 * same stale lock, the slower one removes the lock that the faster one has just taken. A token can
 * only be removed by a writer that has read it.
 *
 * A live process never loses its lock, however long it is busy or stopped. The lock of a dead one
 * is taken over at once. If that can't be judged, as on another host, an operator has to remove it.
 *
 * @param work gets a function that replaces the file as `replaceFile` does, with its owner and
 *   group. It is called again if something else, such as an editor, has changed the file meanwhile
 * @throws InvalidDataError when the same holder has kept the lock for 30 s, something else is in
 *   its place, the file is read-only or keeps changing, or the lock was removed; the file system's
 *   errors; the errors of `work`; the signal's reason
 */
export async function withFileLock<T>(
  path: string,
  work: (replace: ReplaceFile) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const token = createToken();
  await acquire(path, token, options.signal);
  try {
    await removeLeftovers(path, options.also);
    for (let tries = 1; ; tries++) {
      try {
        return await work(await replaceOf(path, options));
      } catch (error) {
        const mayTry = error instanceof ChangedError && tries < MAX_TRIES;
        if (!mayTry || !(await lstat(join(lockPathOf(path), token)).catch(() => undefined)))
          throw error;
      }
    }
  } finally {
    await removeLock(lockPathOf(path), token);
  }
}

async function replaceOf(path: string, { signal, keepsReaders }: LockOptions) {
  const version = fingerprint(path);
  const old = await stat(path).catch(ifMissing(undefined));
  if (old) refuseReadOnly(path, old);
  const refuseChanged = () => {
    if (fingerprint(path) !== version) throw new ChangedError();
  };
  const replace: ReplaceFile = (content, beforeRename) => {
    const prepare = async (file: FileHandle) => {
      if (old) await keepOwner({ ...old, mode: keepsReaders ? old.mode : 0 }, file);
      signal?.throwIfAborted();
      refuseChanged();
      await beforeRename?.();
    };
    return replaceFile(path, content, prepare, refuseChanged);
  };
  return replace;
}

/**
 * Gives a new file of mode 0600 the owner, the group and the group's read permission of the old
 * one, so that a service can read it.
 */
export async function keepOwner({ uid, gid, mode }: Ownership, file: FileHandle): Promise<void> {
  const now = await file.stat();
  const readers = mode & constants.S_IRGRP;
  if (now.uid !== uid || now.gid !== gid)
    await file.chown(uid, gid).catch(() => {
      if (now.uid === uid && !readers) return;
      const owner = now.uid === uid ? "a group that you are not in" : "another user";
      throw new InvalidDataError(
        `was not written: it belongs to ${owner}, who could no longer read it`,
      );
    });
  if (readers) await file.chmod(0o640);
}

/** Makes a lock in a folder with another name, and renames it once the lock is free. */
async function acquire(path: string, token: string, signal?: AbortSignal): Promise<void> {
  const staged = `${lockPathOf(path)}.${token}`;
  await mkdir(staged, 0o755);
  try {
    await writeFile(join(staged, token), "", { flag: "wx", mode: 0o600 });
    await moveWhenFree(path, staged, signal);
  } catch (error) {
    await removeLock(staged, token);
    throw error;
  }
}

async function moveWhenFree(path: string, staged: string, signal?: AbortSignal): Promise<void> {
  const lockPath = lockPathOf(path);
  let seen: string | undefined;
  let since = 0;
  while (!(await tryToMove(staged, lockPath))) {
    signal?.throwIfAborted();
    const { token = "", holder } = (await findLock(path)) ?? {};
    // An empty folder is nobody's lock.
    if ((!holder || holder.state === "dead") && (await removeLock(lockPath, token))) continue;
    const now = performance.now();
    if (token !== seen) [seen, since] = [token, now];
    if (now - since > MAX_WAIT_S * 1_000)
      throw new InvalidDataError(describeLock(lockPath, holder));
    await delay(5 + Math.random() * 55, undefined, { signal });
  }
}

/** @returns whether the lock was free, or an empty folder */
async function tryToMove(staged: string, lockPath: string): Promise<boolean> {
  try {
    await rename(staged, lockPath);
    return true;
  } catch (error) {
    const isTaken = hasCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR");
    // Windows's error for a folder that exists, or is being removed.
    if (isTaken || (platform() === "win32" && hasCode(error, "EPERM", "EACCES", "EBUSY")))
      return false;
    throw error;
  }
}

function describeLock(lockPath: string, holder: Holder | undefined): string {
  const by = holder?.text ?? "an unknown process";
  const message = `is locked: ${lockPath} has been held for ${MAX_WAIT_S} s by ${by}`;
  return holder?.state === "alive"
    ? message
    : `${message}; if it has ended, run: ${command`rm -r ${lockPath}`}`;
}

/**
 * Removes the temporary files and unfinished locks that killed writers have left behind.
 *
 * It also fences off a writer that was only suspended, and whose lock an operator has removed: once
 * its temporary file is gone, its rename fails. If it has renamed the file before, the new holder
 * reads its data. So a temporary file that can't be removed is an error.
 */
async function removeLeftovers(path: string, also: readonly string[] = []): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(lockPathOf(path))}.`;
  for (const name of await readdir(folder)) {
    if ([path, ...also].some((each) => isTemporary(name, each)))
      await unlink(join(folder, name)).catch(ifMissing(undefined));
    if (!name.startsWith(prefix)) continue;
    const token = name.slice(prefix.length);
    if (holderOf(token)?.state === "dead") await removeLock(join(folder, name), token);
  }
}

/** @returns whether the lock is gone. The folder of another writer is not empty, and stays. */
async function removeLock(folder: string, token: string): Promise<boolean> {
  try {
    // A writer that was killed may have made only the folder.
    if (token !== "") await unlink(join(folder, token)).catch(ifMissing(undefined));
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds the lock of the file at `path`. Since the lock of a dead process is removed, anything but a
 * folder with tokens alone is refused.
 *
 * @returns undefined when there is no lock, or an empty one
 * @throws InvalidDataError
 */
export async function findLock(path: string) {
  const lockPath = lockPathOf(path);
  const stats = await lstat(lockPath).catch(ifMissing(undefined));
  if (!stats) return undefined;
  const names = stats.isDirectory() ? await readdir(lockPath).catch(ifMissing([])) : [lockPath];
  if (!names.every(holderOf))
    throw new InvalidDataError(
      `can't be locked: ${lockPath} is not an appvars lock; check it, and move it away`,
    );
  const [token = ""] = names;
  const holder = holderOf(token);
  return holder && { token, holder };
}

function lockPathOf(path: string): string {
  return `${path}.lock`;
}
