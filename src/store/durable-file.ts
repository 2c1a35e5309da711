import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

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
 * Puts this text in the place of the file at `path`, mode 0600, all of it or nothing, and on the disk when it
 * resolves. Call it under the file's lock: it also removes what earlier writers that were killed left behind.
 *
 * @param path the file itself, not a link to it: a link would be replaced by a file
 * @param checkCurrent called just before the new file takes the old one's place; what it throws stops that
 * @throws the file system's error; the old file is then as it was
 */
export async function replaceFile(path: string, text: string, checkCurrent: () => Promise<void>): Promise<void> {
  await removeTemporaries(path);
  const temporary = await writeTemporary(path, text);
  try {
    await checkCurrent();
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a new file beside `path`, under a name that nobody can have planted a link at, and syncs it. */
async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = join(dirname(path), `${temporaryPrefix(path)}${randomBytes(6).toString("hex")}.tmp`);
  const file = await open(temporary, "wx", 0o600);
  try {
    await keepOwner(file, path);
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

/** An administrator who edits a service's file leaves it to the service. Others may not give files away. */
async function keepOwner(file: FileHandle, path: string): Promise<void> {
  const [mine, old] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  if (old && old.uid !== mine.uid) await file.chown(old.uid, old.gid).catch(() => {});
}

async function removeTemporaries(path: string): Promise<void> {
  const folder = dirname(path);
  const prefix = temporaryPrefix(path);
  const isTemporary = (name: string) =>
    name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length));
  const names = (await readdir(folder)).filter(isTemporary);
  await Promise.all(names.map((name) => unlink(join(folder, name)).catch(() => {})));
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
