import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { makePrivate } from "../../kit/files/durable-file.js";
import { toInvalidFile } from "../../kit/files/system-errors.js";
import { createToken, findProcess } from "../../kit/process/process-token.js";

/**
 * Parent folders for a folder with a secret, best first. `/dev/shm` is in
 * memory, so that the secret is never written to a disk.
 */
export function scratchParents(temporaryFolder: string): readonly string[] {
  return ["/dev/shm", temporaryFolder];
}

/**
 * The prefix of a folder name. The token of the process that made the folder
 * follows.
 */
const PREFIX = "appvars-edit-";

/**
 * Makes a private folder in the first parent folder that allows it.
 *
 * @throws InvalidDataError
 */
export async function makeScratchFolder(
  parents: readonly string[],
  user: number | undefined,
): Promise<string> {
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

/** Removes folders of processes that were killed before they could remove them. */
export async function removeLeftScratchFolders(
  parents: readonly string[],
  user: number | undefined,
): Promise<void> {
  for (const parent of parents) {
    for (const name of await readdir(parent).catch(() => [])) {
      if (!name.startsWith(PREFIX)) continue;
      const path = join(parent, name);
      const stats = await lstat(path).catch(() => undefined);
      const isDead = findProcess(name.slice(PREFIX.length))?.state === "dead";
      if (isDead && stats && isPrivate(stats, user))
        await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/**
 * Whether the path is a folder, not a link to one, that only this user can
 * access.
 */
function isPrivate(stats: Stats, user: number | undefined): boolean {
  if (!stats.isDirectory()) return false;
  return user === undefined || (stats.uid === user && (stats.mode & 0o777) === 0o700);
}
