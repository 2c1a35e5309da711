import { access, lstat, lutimes, mkdir, readdir, rmdir, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError } from "../domain/errors.js";
import { durationText } from "../domain/printable.js";
import { type FileContent, keepOwner, refuseHardLinks, removeTemporaries, replaceFile } from "./durable-file.js";
import { createToken, describeHolder, type HolderState, holderOf, isToken, stateOf } from "./lock-holder.js";
import { hasCode, ifMissing, NotDurableError } from "./system-errors.js";
import { whileBusy } from "./while-busy.js";

/** A holder that is not visible from here loses its lock when it has not renewed it for this long. */
export const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
// For one holder, not in total.
const MAX_WAIT_MS = 30_000;
const ROOT = 0;

export interface HeldLock {
  /**
   * Call it between steps that block the event loop, and so the renewal of the lock.
   *
   * @throws InvalidDataError when the lock was lost to a writer that considered this process dead; the reason of
   *   `signal`
   */
  check(): Promise<void>;
  /** Replaces the file as `replaceFile` does; it keeps its owner. @param beforeRename called last; throwing prevents it */
  replace(content: FileContent, beforeRename?: () => Promise<void>): Promise<void>;
}

/**
 * Runs `work` while no other appvars process writes the file at `path`, which must not be a link, and may be missing.
 *
 * The lock is the folder `path.lock`; its holder is the process whose token is the only file in it. proper-lockfile uses
 * an empty folder: when two writers find the same stale lock, the slower one removes the lock that the faster one
 * has just taken, and acknowledged writes get lost. A lock with a token can only be removed by a writer that has read
 * that token.
 *
 * On the same host, a lock ends with its process: a live one never loses it, however long it is busy or stopped, and
 * that of a dead one is taken over at once. Any other lock ends when it has not been renewed for 5 s, by the monotonic
 * clock of the waiting process, so the hosts' clocks need not agree. Its holder may only have been suspended: see
 * `removeTemporaries` for what then keeps it from writing.
 *
 * @param signal cancels the wait, and makes the next `check` throw
 * @throws InvalidDataError when the same holder has kept the lock for 30 s, `work` failed because the lock was lost,
 *   something else is in its place, which is left alone, or the file has hard links; the file system's errors; what
 *   `work` throws; the signal's reason
 */
export async function withFileLock<T>(
  path: string,
  work: (lock: HeldLock) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lockPath = lockPathOf(path);
  const token = await createToken();
  await acquire(path, token, signal);
  const renewal = setInterval(() => renew(lockPath, token), RENEW_MS).unref();
  const check = async () => {
    signal?.throwIfAborted();
    if (!(await namesIn(lockPath)).includes(token)) throw new InvalidDataError("was not written: its lock was lost");
  };
  const replace: HeldLock["replace"] = (content, beforeRename) =>
    replaceFile(path, content, async (temporary) => {
      await keepOwner(path, temporary);
      await check();
      await beforeRename?.();
    });
  try {
    // First, so that no earlier writer can replace the file from here on.
    await removeTemporaries(path);
    await refuseHardLinks(path);
    return await work({ check, replace });
  } catch (error) {
    if (error instanceof NotDurableError) throw error;
    // The temporary file is missing: another writer took over the lock and removed it.
    if (hasCode(error, "ENOENT") || hasCode((error as Error).cause, "ENOENT")) await check();
    throw error;
  } finally {
    clearInterval(renewal);
    await release(lockPath, token);
  }
}

async function acquire(path: string, token: string, signal: AbortSignal | undefined): Promise<void> {
  const host = holderOf(token)?.host;
  let holding = since("");
  let renewed = since("");
  while (!(await tryToAcquire(lockPathOf(path), token))) {
    signal?.throwIfAborted();
    const lock = await inspectLock(path);
    holding = since(lock?.holding ?? "", holding);
    renewed = since(`${lock?.holding} ${lock?.renewedAt}`, renewed);
    if (lock) {
      const states = await Promise.all((lock.tokens ?? []).map((name) => stateOf(holderOf(name), host)));
      const isExpired = performance.now() - renewed.at > LEASE_MS;
      if (await removeExpired(lock, states, isExpired)) continue;
      const waited = performance.now() - holding.at;
      if (waited > MAX_WAIT_MS) throw new InvalidDataError(describeLock(lock, states, host, waited));
    }
    await delay(5 + Math.random() * 55, undefined, { signal });
  }
}

/** A state, and since when it has not changed, by `performance.now()`. */
interface Since {
  readonly state: string;
  readonly at: number;
}

function since(state: string, before?: Since): Since {
  return state === before?.state ? before : { state, at: performance.now() };
}

async function tryToAcquire(lockPath: string, token: string): Promise<boolean> {
  try {
    await whileBusy(() => mkdir(lockPath, 0o700));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    return false;
  }
  try {
    await whileBusy(() => writeFile(join(lockPath, token), "", { flag: "wx", mode: 0o600 }));
  } catch (error) {
    // While it was empty, another writer mistook the new lock for a stale one and removed it.
    if (hasCode(error, "ENOENT")) return false;
    // The token may have been created all the same.
    await unlink(join(lockPath, token)).catch(() => {});
    await rmdir(lockPath).catch(() => {});
    throw error;
  }
  let isAlone = false;
  try {
    isAlone = (await namesIn(lockPath)).join() === token;
    return isAlone;
  } finally {
    // Two writers in one lock both leave, unless one was alone before the other came.
    if (!isAlone) await release(lockPath, token);
  }
}

/**
 * Removes the tokens of dead processes, and the lock when no others remain. The time of the last renewal alone proves
 * nothing: the holder's clock may be wrong.
 *
 * @returns whether the lock is gone
 * @throws InvalidDataError when it can't be removed
 */
async function removeExpired(lock: FoundLock, states: readonly HolderState[], isExpired: boolean): Promise<boolean> {
  if (!lock.tokens) {
    if (!isExpired) return false;
    throw new InvalidDataError(
      `is locked: ${lock.path} belongs to another user (id ${lock.owner}) and has not been renewed for ` +
        `${durationText(LEASE_MS)}; if none of their processes is writing the file, remove it as that user`,
    );
  }
  const ended = lock.tokens.filter(
    (_, index) => states[index] === "dead" || (states[index] === "unknown" && isExpired),
  );
  // Tokens are random: even if the folder has been replaced with a link, no other file has such a name.
  for (const token of ended) await unlink(join(lock.path, token)).catch(() => {});
  if (ended.length < lock.tokens.length || (ended.length === 0 && !isExpired)) return false;
  // Fails while another token is in it, and for a link.
  return rmdir(lock.path).then(
    () => true,
    () => false,
  );
}

/** @param waited milliseconds that this process has seen the same holder */
function describeLock(
  { path, tokens, madeAt }: FoundLock,
  states: readonly HolderState[],
  host: string | undefined,
  waited: number,
): string {
  const holders = (tokens ?? []).map((token, index) => describeHolder(holderOf(token), host, states[index]));
  // The file system's clock may be behind ours.
  const age = durationText(Math.max(waited, Date.now() - madeAt));
  return `is locked: ${path} has been held for ${age} by ${holders.join(" and ") || describeHolder(undefined)}`;
}

async function renew(lockPath: string, token: string): Promise<void> {
  const now = new Date();
  await access(join(lockPath, token))
    .then(() => lutimes(lockPath, now, now))
    .catch(() => {});
}

async function release(lockPath: string, token: string): Promise<void> {
  // Without our token in it, the lock is another writer's.
  await unlink(join(lockPath, token))
    .then(() => rmdir(lockPath))
    .catch(() => {});
}

interface FoundLock {
  readonly path: string;
  /** Undefined when only the lock's owner may look inside. */
  readonly tokens: readonly string[] | undefined;
  /** Unix time in milliseconds, by the file system's clock. */
  readonly madeAt: number;
  /** Unix time in milliseconds, by the holder's clock. */
  readonly renewedAt: number;
  /** User id. */
  readonly owner: number;
  /** Identifies the holder. */
  readonly holding: string;
}

/**
 * Looks at the lock of the file at `path` without following links. Anybody may have put something there, and a stale
 * lock gets removed, so only what appvars creates counts as a lock: a folder that contains only tokens, owned by root
 * or by the owner of the file or its folder.
 *
 * @returns undefined when there is no lock
 * @throws InvalidDataError that says what is there instead
 */
export async function inspectLock(path: string): Promise<FoundLock | undefined> {
  const lockPath = lockPathOf(path);
  const before = await lstatIfExists(lockPath);
  if (!before) return undefined;
  if (before.isSymbolicLink()) throw notALock(lockPath, "is a link");
  if (!before.isDirectory()) throw notALock(lockPath, "is not a folder");
  const owners = await Promise.all([path, dirname(path)].map(async (name) => (await lstatIfExists(name))?.uid ?? ROOT));
  if (![ROOT, ...owners].includes(before.uid)) throw notALock(lockPath, `belongs to another user (id ${before.uid})`);
  const found = await readTokens(lockPath);
  // Again after the tokens were read: they may belong to a lock that was taken over in between.
  const after = await lstatIfExists(lockPath);
  if (!after) return undefined;
  if (after.ino !== before.ino) return inspectLock(path);
  const tokens = found?.map(({ name }) => name);
  return {
    path: lockPath,
    tokens,
    madeAt: found?.[0]?.madeAt ?? after.mtimeMs,
    renewedAt: after.mtimeMs,
    owner: after.uid,
    holding: [after.ino, ...(tokens ?? [])].join(),
  };
}

async function readTokens(lockPath: string): Promise<{ name: string; madeAt: number }[] | undefined> {
  try {
    const names = (await namesIn(lockPath)).sort();
    return (await Promise.all(names.map((name) => readToken(lockPath, name)))).flat();
  } catch (error) {
    if (hasCode(error, "EACCES")) return undefined;
    throw error;
  }
}

/** Empty when its holder has just left. */
async function readToken(lockPath: string, name: string): Promise<{ name: string; madeAt: number }[]> {
  const file = isToken(name) ? await lstatIfExists(join(lockPath, name)) : null;
  if (file === undefined) return [];
  if (file?.isFile() && file.size === 0) return [{ name, madeAt: file.mtimeMs }];
  throw notALock(lockPath, `contains ${JSON.stringify(name)}`);
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
  const advice = "check what it is, and move it away";
  return new InvalidDataError(`can't be locked: ${lockPath} ${what}, so it is not an appvars lock; ${advice}`);
}
