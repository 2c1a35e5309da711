import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError } from "../domain/errors.js";
import { NO_LINK_FLAGS } from "./open-file.js";
import { hasCode, ifMissing, NotDurableError, toInvalidData } from "./system-errors.js";

/** A text, or the parts of some bytes, each of which is made just before it is written. */
export type FileContent = string | Iterable<Uint8Array>;

/**
 * Creates `path` with this text and mode 0600, all of it or nothing. It is on disk when this resolves.
 *
 * @throws NotDurableError; otherwise nothing was created: the file system's error, `EEXIST` for a file that exists
 */
export async function createFile(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    // `link` refuses to replace a file, unlike `rename`.
    await link(temporary, path).catch(async (error: unknown) => {
      // Another process created the file, and its next writer removed our temporary file.
      const exists = hasCode(error, "ENOENT") && (await lstat(path).then(Boolean, () => false));
      throw exists ? Object.assign(new Error("the file exists"), { code: "EEXIST" }) : error;
    });
  } finally {
    await unlink(temporary).catch(ifMissing(undefined));
  }
  await syncFolder(dirname(path), platform());
}

/**
 * Creates or replaces the file at `path` with this content and mode 0600, all of it or nothing. It is on disk when this
 * resolves.
 *
 * @param path not a link, which would be replaced by a file
 * @param beforeRename called with the temporary file just before it is moved into place; throwing prevents that
 * @throws NotDurableError; otherwise the old file is unchanged: InvalidDataError for a mount point, which can't be
 *   replaced, or the file system's error
 */
export async function replaceFile(
  path: string,
  content: FileContent,
  beforeRename: (temporary: string) => Promise<void> = async () => {},
  system: NodeJS.Platform = platform(),
): Promise<void> {
  const temporary = await writeTemporary(path, content);
  try {
    await beforeRename(temporary);
    const renamed = whileBusy(() => rename(temporary, path), system);
    await (system === "win32" ? renamed : renamed.catch(explainMount));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path), system);
}

function explainMount(error: unknown): never {
  if (!hasCode(error, "EBUSY", "EXDEV")) throw error;
  const reason = "can't be replaced because it is a mount point: mount its folder instead";
  throw new InvalidDataError(reason, { cause: error });
}

/**
 * Gives a new file to the owner of the file it replaces, if there is one, so that a service can still read its file
 * after an administrator has edited it.
 *
 * @throws InvalidDataError when that is not possible; the file system's error for a link, with which the owner of the
 *   folder could have root give away any file
 */
export async function keepOwner(path: string, temporary: string): Promise<void> {
  const file = await open(temporary, NO_LINK_FLAGS);
  try {
    const [mine, old] = await Promise.all([file.stat(), stat(path).catch(ifMissing(undefined))]);
    if (!old || old.uid === mine.uid) return;
    if (mine.nlink > 1) throw new InvalidDataError("was not written: another program has replaced the new file");
    await file.chown(old.uid, old.gid).catch(() => {
      throw new InvalidDataError("was not written: it belongs to another user, who could no longer read it");
    });
  } finally {
    await file.close();
  }
}

/**
 * Removes the temporary files that killed writers have left beside `path`. Call it under the file's lock, before
 * reading the file.
 *
 * It also fences off a writer that was only suspended and lost its lock: once its temporary file is gone, its rename
 * fails; if it renamed before that, its data is in the file when we read it. So a file that can't be removed is an
 * error.
 *
 * @throws the file system's error
 */
export async function removeTemporaries(path: string): Promise<void> {
  const prefix = temporaryPrefix(path);
  const isTemporary = (name: string) =>
    name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length));
  const entries = await readdir(dirname(path), { withFileTypes: true });
  const temporaries = entries.filter((entry) => isTemporary(entry.name) && !entry.isDirectory());
  const remove = (name: string) => whileBusy(() => unlink(join(dirname(path), name)));
  await Promise.all(temporaries.map(({ name }) => remove(name).catch(ifMissing(undefined))));
}

/**
 * Refuses a file with other names: they would keep the old content.
 *
 * @throws InvalidDataError; the file system's error
 */
export async function refuseHardLinks(path: string): Promise<void> {
  const stats = await stat(path).catch(ifMissing(undefined));
  // A folder always has several, and is refused when it is read.
  if (!stats?.isFile() || stats.nlink < 2) return;
  throw new InvalidDataError(
    `can't be changed: it has ${stats.nlink} hard links, and a change would reach only this one; ` +
      "remove the others, or use symbolic links",
  );
}

/** Writes and syncs a new file beside `path`, with a name that nobody can have guessed and planted a link at. */
async function writeTemporary(path: string, content: FileContent): Promise<string> {
  // `join` would resolve `link/..` as text, where the system follows the link first.
  const temporary = `${dirname(path)}${sep}${temporaryPrefix(path)}${randomBytes(6).toString("hex")}.tmp`;
  const file = await open(temporary, "wx", 0o600);
  try {
    try {
      // Regardless of the umask.
      await file.chmod(0o600);
      let written = 0;
      for (const part of typeof content === "string" ? [Buffer.from(content)] : content) {
        await file.writeFile(part);
        written += part.length;
      }
      await file.sync();
      // Some file systems report a short write to a full disk as a success.
      const { size } = await file.stat();
      if (size !== written) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
    } finally {
      await file.close();
    }
    return temporary;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

/** Makes a rename in the folder survive a crash, as far as the system lets us. @throws NotDurableError */
async function syncFolder(path: string, system: NodeJS.Platform): Promise<void> {
  try {
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    // Windows syncs only files that are open for writing, which a folder can't be. NTFS keeps a journal of its renames.
    if (system === "win32" && hasCode(error, "EPERM", "EACCES", "EISDIR")) return;
    const { message } = toInvalidData(error, "was written, but may be lost if the machine crashes now");
    throw new NotDurableError(message, { cause: error });
  }
}

/**
 * Creates a folder with mode 0700, and its missing parents. Node's recursive `mkdir` never returns where a folder
 * can't be created although its parent exists, as in /proc.
 *
 * @throws the file system's error
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (hasCode(error, "EEXIST") && (await stat(path)).isDirectory()) return;
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, 0o700).catch((error: unknown) => {
      // Another process was faster.
      if (!hasCode(error, "EEXIST")) throw error;
    });
  }
}

const MAX_BUSY_MS = 2_000;
const MAX_PAUSE_MS = 100;

/**
 * Does `work`, again for up to 2 s while Windows refuses it because the file is in use: a file that a process has open,
 * such as a reader or a virus scanner, can't be replaced there, and one that is being removed still has its name. On
 * other systems these errors do not go away.
 *
 * @throws the errors of `work`
 */
export async function whileBusy<T>(work: () => Promise<T>, system: NodeJS.Platform = platform()): Promise<T> {
  const end = performance.now() + MAX_BUSY_MS;
  for (let pause = 10; ; pause = Math.min(pause + 10, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = system === "win32" && hasCode(error, "EACCES", "EBUSY", "EPERM");
      if (!isBusy || performance.now() > end) throw error;
    }
    await delay(pause);
  }
}
