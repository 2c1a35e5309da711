import { lstatSync, statfsSync } from "node:fs";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { createToken, holderOf } from "./lock-holder.js";
import { makePrivate } from "./private-folder.js";
import { toInvalidFile } from "./system-errors.js";

/** `f_type` of statfs(2) for file systems in memory: TMPFS_MAGIC and RAMFS_MAGIC of linux/magic.h. */
const IN_MEMORY = [0x01021994, 0x858458f6];

const SHARED_MEMORY = "/dev/shm";

export interface ScratchOptions {
  /** `XDG_RUNTIME_DIR`. */
  readonly runtimeFolder: string | undefined;
  readonly temporaryFolder: string;
  /** Id of the user; undefined where the system has no such ids. */
  readonly user: number | undefined;
}

/** Where a folder for a secret can be, best first: in memory, so that the secret never gets to a disk, if there is such a place. */
export function scratchParents({ runtimeFolder, temporaryFolder, user }: ScratchOptions): readonly string[] {
  if (user === undefined) return [temporaryFolder];
  // Relative paths are to be ignored (XDG Base Directory Specification).
  const isRuntimeUsable = runtimeFolder !== undefined && isAbsolute(runtimeFolder) && isOwn(runtimeFolder, user);
  const inMemory = [...(isRuntimeUsable ? [runtimeFolder] : []), SHARED_MEMORY].filter(isInMemory);
  return [...new Set([...inMemory, temporaryFolder])];
}

/** The token of the process that made the folder follows. */
const PREFIX = "appvars-edit-";

/**
 * Makes a private folder in the first of these that allows it.
 *
 * @throws InvalidDataError
 */
export async function makeScratchFolder(parents: readonly string[], user: number | undefined): Promise<string> {
  const name = PREFIX + createToken();
  let failure: unknown;
  for (const parent of parents) {
    const path = join(parent, name);
    try {
      await mkdir(path, { mode: 0o700 });
      await makePrivate(path, user);
      return path;
    } catch (error) {
      failure = toInvalidFile(path, error, "can't be created");
    }
  }
  throw failure;
}

/** Removes the folders of processes that were killed before they could. */
export async function removeLeftScratchFolders(parents: readonly string[], user: number | undefined): Promise<void> {
  for (const parent of parents) {
    for (const name of await readdir(parent).catch(() => [])) {
      if (!name.startsWith(PREFIX) || holderOf(name.slice(PREFIX.length))?.state !== "dead") continue;
      const path = join(parent, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats && isPrivate(stats, user)) await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
}

type FolderStats = Pick<NonNullable<ReturnType<typeof lstatSync>>, "isDirectory" | "uid" | "mode">;

/** Whether it is a folder, not a link to one, that only this user has access to. */
function isPrivate(stats: FolderStats, user: number | undefined): boolean {
  if (!stats.isDirectory()) return false;
  return user === undefined || (stats.uid === user && (Number(stats.mode) & 0o777) === 0o700);
}

function isOwn(path: string, user: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isPrivate(stats, user);
}

function isInMemory(path: string): boolean {
  try {
    return IN_MEMORY.includes(statfsSync(path).type);
  } catch {
    return false;
  }
}
