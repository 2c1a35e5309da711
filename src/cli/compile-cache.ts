import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { foreignWriter } from "../kit/files/owners.js";
import { statIfExists } from "../kit/files/system-errors.js";
import { userFolders } from "../kit/process/this-process.js";

/**
 * Lets Node keep compiled code between runs. The build makes this a file of its
 * own, which is loaded before all others.
 *
 * @param enableCompileCache of Node 22.1 and newer
 */
export function keepCompiled(enableCompileCache: ((folder: string) => void) | undefined): void {
  if (!enableCompileCache) return;
  const { cache } = userFolders(process.env, process.platform);
  if (isOwnFolder(cache)) enableCompileCache(join(cache, "compiled"));
}

/**
 * Creates the cache folder if it is missing, and returns whether no other user
 * can write it. Node's default folder may contain code of other users; with
 * `sudo -E`, so may this one. Node's recursive mkdir never returns for
 * HOME=/proc.
 */
function isOwnFolder(cache: string): boolean {
  for (const folder of [dirname(cache), cache]) {
    try {
      mkdirSync(folder, 0o700);
    } catch {
      // It usually exists.
    }
  }
  const stats = statIfExists(cache, lstatSync);
  const account = { user: process.getuid?.(), groups: process.getgroups?.() ?? [] };
  return stats !== undefined && !foreignWriter(stats, account);
}
