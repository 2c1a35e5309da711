import { constants, existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "./system-errors.js";

/** Creates a private folder, and its missing parents, unless something is there. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  // Node's option `recursive` never returns for `/proc/x/y`.
  if (parent !== path && !existsSync(parent)) await makeFolder(parent);
  await mkdir(path, 0o700).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
}

/**
 * Gives a folder mode 0700, regardless of the umask. By descriptor, because `chmod` would follow a
 * link.
 *
 * @param user id of the user who runs this; undefined where the system has no such ids, and this
 *   does nothing
 * @throws Error when it is not a folder or belongs to another user; the file system's error
 */
export async function makePrivate(path: string, user: number | undefined): Promise<void> {
  if (user === undefined) return;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((error: unknown) => {
    throw hasCode(error, "ELOOP", "ENOTDIR") ? new Error(`${path} is not a folder`) : error;
  });
  try {
    const { uid, mode } = await folder.stat();
    if (uid !== user) throw new Error(`${path} belongs to another user`);
    if ((mode & 0o777) !== 0o700) await folder.chmod(0o700);
  } finally {
    await folder.close();
  }
}
