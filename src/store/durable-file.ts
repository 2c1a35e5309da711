import { randomBytes } from "node:crypto";
import { chown, link, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { InvalidDataError } from "../domain/errors.js";

/**
 * Creates `path` with this text, mode 0600, complete or not at all, and on the disk when it resolves.
 *
 * @throws the file system's error; its code is `EEXIST` when there is such a file already
 */
export async function createFile(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    // A rename would replace what is there; a link is refused.
    await link(temporary, path);
  } finally {
    await unlink(temporary);
  }
  await syncFolder(dirname(path));
}

/**
 * Puts this text in the place of the file at `path`, or where there is none, mode 0600, all of it or nothing, and on
 * the disk when it resolves.
 *
 * @param path the file itself, not a link to it: a link would be replaced by a file
 * @param beforeRename gets the new file, called just before it takes the old one's place; what it throws stops that
 * @throws the file system's error; the old file is then as it was
 */
export async function replaceFile(
  path: string,
  text: string,
  beforeRename: (temporary: string) => Promise<void> = async () => {},
): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    await beforeRename(temporary);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Leaves a new file to the owner of the one whose place it takes: an administrator edits a service's file, and the
 * service can read it still.
 *
 * @throws InvalidDataError where that can't be: the new file is its owner's alone, so it would be taken from the other
 */
export async function keepOwner(path: string, temporary: string): Promise<void> {
  const [mine, old] = await Promise.all([stat(temporary), stat(path)]);
  if (old.uid === mine.uid) return;
  await chown(temporary, old.uid, old.gid).catch(() => {
    throw new InvalidDataError("was not written: it belongs to another user, who could not read it any more");
  });
}

/** Removes what writers that were killed have left beside `path`. Call it under the file's lock. */
export async function removeTemporaries(path: string): Promise<void> {
  const folder = dirname(path);
  const prefix = temporaryPrefix(path);
  const isTemporary = (name: string) =>
    name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length));
  const names = (await readdir(folder)).filter(isTemporary);
  await Promise.all(names.map((name) => unlink(join(folder, name)).catch(() => {})));
}

/** Writes a new file beside `path`, under a name that nobody can have planted a link at, and syncs it. */
async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = join(dirname(path), `${temporaryPrefix(path)}${randomBytes(6).toString("hex")}.tmp`);
  const file = await open(temporary, "wx", 0o600);
  try {
    // Whatever the umask is.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
    // A full disk has been seen to report a short write as a success.
    const { size } = await file.stat();
    if (size !== Buffer.byteLength(text)) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
    return temporary;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

/** Makes a change of names in the folder last. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
