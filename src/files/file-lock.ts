import { lstat, mkdir, readdir, rename, rmdir, unlink, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError } from "../domain/errors.js";
import { durationText } from "../domain/printable.js";
import { command } from "../domain/shell.js";
import { type FileContent, keepOwner, refuseHardLinks, removeTemporaries, replaceFile } from "./durable-file.js";
import { createToken, type Holder, holderOf } from "./lock-holder.js";
import { ROOT } from "./owners.js";
import { hasCode, ifMissing } from "./system-errors.js";

// For one holder, not in total.
const MAX_WAIT_MS = 30_000;

export interface HeldLock {
  /** @throws InvalidDataError when the lock was removed; the reason of `signal` */
  check(): Promise<void>;
  /** Replaces the file as `replaceFile` does; it keeps its owner. @param beforeRename called last; throwing prevents it */
  replace(content: FileContent, beforeRename?: () => Promise<void>): Promise<void>;
}

/**
 * Runs `work` while no other appvars process writes the file at `path`, which must not be a link, and may be missing.
 *
 * The lock is the folder `path.lock`; its holder is the process whose token is the only file in it. It appears with the
 * token, by a rename. An empty folder would not do: when two writers find the same stale lock, the slower one
 * removes the lock that the faster one has just taken. A token can only be removed by a writer that has read it.
 *
 * A lock ends with its process: a live one never loses it, however long it is busy or stopped, and that of a dead one is
 * taken over at once. That of another host can't be judged: an operator has to remove it.
 *
 * @param signal cancels the wait, and makes the next `check` throw
 * @throws InvalidDataError when the same holder has kept the lock for 30 s, something else is in its place, which is left
 *   alone, or the file has hard links; the file system's errors; the errors of `work`; the signal's reason
 */
export async function withFileLock<T>(
  path: string,
  work: (lock: HeldLock) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lockPath = lockPathOf(path);
  const token = createToken();
  await acquire(path, token, signal);
  const check = async () => {
    signal?.throwIfAborted();
    if (!(await namesIn(lockPath)).includes(token)) throw new InvalidDataError("was not written: its lock was removed");
  };
  const replace: HeldLock["replace"] = (content, beforeRename) =>
    replaceFile(path, content, async (temporary) => {
      await keepOwner(path, temporary);
      await check();
      await beforeRename?.();
    });
  try {
    await removeLeftovers(path);
    await refuseHardLinks(path);
    return await work({ check, replace });
  } finally {
    await removeLock(lockPath, token);
  }
}

/** Makes the lock beside its place, and moves it there once that is free. */
async function acquire(path: string, token: string, signal: AbortSignal | undefined): Promise<void> {
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

async function moveWhenFree(path: string, staged: string, signal: AbortSignal | undefined): Promise<void> {
  const lockPath = lockPathOf(path);
  let seen: { token: string | undefined; at: number } | undefined;
  while (!(await tryToMove(staged, lockPath))) {
    signal?.throwIfAborted();
    const lock = await findLock(path);
    if (lock?.holder.state === "dead" && (await removeLock(lockPath, lock.token))) continue;
    // Empty: its holder is about to leave, or was killed while it was. Fails if another one has taken it.
    if (!lock) await rmdir(lockPath).catch(() => {});
    if (!seen || seen.token !== lock?.token) seen = { token: lock?.token, at: performance.now() };
    const waited = performance.now() - seen.at;
    if (waited > MAX_WAIT_MS) throw new InvalidDataError(describeLock(lockPath, lock?.holder, waited));
    await delay(5 + Math.random() * 55, undefined, { signal });
  }
}

/** @returns whether the place was free, or an empty folder */
async function tryToMove(staged: string, lockPath: string): Promise<boolean> {
  try {
    await rename(staged, lockPath);
    return true;
  } catch (error) {
    const isTaken = hasCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR");
    // Windows's error for a folder that exists, or is being removed.
    if (isTaken || (platform() === "win32" && hasCode(error, "EPERM", "EACCES", "EBUSY"))) return false;
    throw error;
  }
}

function describeLock(lockPath: string, holder: Holder | undefined, waited: number): string {
  const message = `is locked: ${lockPath} has been held for ${durationText(waited)} by ${holder?.text ?? "nobody"}`;
  if (holder && ["running", "stopped"].includes(holder.state)) return message;
  const removal = command`rm -r ${lockPath}`;
  return holder?.state === "elsewhere"
    ? `${message}; if it has ended, run: ${removal}`
    : `${message}, which has ended; run: ${removal}`;
}

/** Temporary files, and locks that never got to their place, of writers that were killed. */
async function removeLeftovers(path: string): Promise<void> {
  await removeTemporaries(path);
  const prefix = `${basename(lockPathOf(path))}.`;
  for (const name of await readdir(dirname(path))) {
    const token = name.slice(prefix.length);
    if (name.startsWith(prefix) && holderOf(token)?.state === "dead")
      await removeLock(join(dirname(path), name), token);
  }
}

/** @returns whether it is gone. The folder of another writer's lock is not empty, and stays. */
async function removeLock(folder: string, token: string): Promise<boolean> {
  await unlink(join(folder, token)).catch(() => {});
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

interface FoundLock {
  readonly token: string;
  readonly holder: Holder;
}

/**
 * The lock of the file at `path`. Others may have put something there, and a dead process's lock is removed, so only
 * a lock of appvars counts: a folder that contains only tokens, owned by root or by the owner of the file or its
 * folder.
 *
 * @returns undefined when there is no lock, or an empty one
 * @throws InvalidDataError that names the object in its place
 */
export async function findLock(path: string): Promise<FoundLock | undefined> {
  const lockPath = lockPathOf(path);
  const stats = await lstatIfExists(lockPath);
  if (!stats) return undefined;
  if (!stats.isDirectory()) throw notALock(lockPath, stats.isSymbolicLink() ? "is a link" : "is not a folder");
  const owners = await Promise.all([path, dirname(path)].map(async (name) => (await lstatIfExists(name))?.uid ?? ROOT));
  if (![ROOT, ...owners].includes(stats.uid)) throw notALock(lockPath, `belongs to another user (id ${stats.uid})`);
  const names = await namesIn(lockPath);
  const foreign = names.find((name) => !holderOf(name));
  if (foreign !== undefined) throw notALock(lockPath, `contains ${JSON.stringify(foreign)}`);
  const [token = ""] = names;
  const holder = holderOf(token);
  return holder && { token, holder };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(ifMissing([]));
}

async function lstatIfExists(path: string) {
  return lstat(path).catch(ifMissing(undefined));
}

function lockPathOf(path: string): string {
  return `${path}.lock`;
}

function notALock(lockPath: string, what: string): InvalidDataError {
  const advice = "check it, and move it away";
  return new InvalidDataError(`can't be locked: ${lockPath} ${what}, so it is not an appvars lock; ${advice}`);
}
