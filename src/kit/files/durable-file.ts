import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, existsSync, renameSync, statSync } from "node:fs";
import { type FileHandle, link, mkdir, open, unlink } from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError } from "../text/errors.js";
import { hasCode, ifMissing, NotDurableError, toInvalidData } from "./system-errors.js";

const BUSY_TRIES = 40;
const BUSY_PAUSE_MS = 50;

/** A string, or bytes in parts. Each part is made just before it is written. */
export type NewContent = string | Iterable<Uint8Array>;

export class FileChangedError extends InvalidDataError {
  constructor() {
    super("was not written: another program has changed it in the meantime; try again");
  }
}

/**
 * Creates `path` with mode 0600 and all of the content, or nothing. When this
 * resolves, the file is on disk.
 *
 * @throws NotDurableError; the file system's error, such as `EEXIST`, if
 *   nothing was created
 */
export async function createFile(path: string, content: NewContent): Promise<void> {
  const temporary = await writeTemporary(path, content);
  try {
    // `link` refuses to replace a file, unlike `rename`.
    await link(temporary, path);
  } finally {
    await unlink(temporary).catch(ifMissing);
  }
  await syncFolder(dirname(path));
}

/**
 * Creates or replaces the file at `path` like {@link createFile}.
 *
 * @param path not a link, which would be replaced by a file
 * @param beforeRename called with the new file; throwing prevents the
 *   replacement
 * @param version the fingerprint that the old file must still have just before
 *   the rename
 * @returns the fingerprint of the new file
 * @throws NotDurableError; otherwise the old file is unchanged:
 *   FileChangedError; InvalidDataError for a mount point, which can't be
 *   replaced; the file system's error
 */
export async function replaceFile(
  path: string,
  content: NewContent,
  beforeRename?: (file: FileHandle) => Promise<void>,
  version?: string,
  system: NodeJS.Platform = platform(),
): Promise<string> {
  const temporary = await writeTemporary(path, content, beforeRename);
  try {
    await moveIntoPlace(temporary, path, version, system);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    if (system === "win32" || !hasCode(error, "EBUSY", "EXDEV")) throw error;
    const reason = "can't be replaced because it is a mount point: mount its folder instead";
    throw new InvalidDataError(reason, { cause: error });
  }
  const replaced = fingerprint(path);
  await syncFolder(dirname(path), system);
  return replaced;
}

/**
 * Renames the file. On Windows, tries for 2 s, since a file can't be replaced
 * while a reader or a virus scanner has it open. On other systems, these errors
 * don't go away.
 */
async function moveIntoPlace(
  temporary: string,
  path: string,
  version: string | undefined,
  system: NodeJS.Platform,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      if (version !== undefined) refuseChanged(path, version);
      // Synchronous, so that nothing else runs in between.
      return renameSync(temporary, path);
    } catch (error) {
      const isBusy = system === "win32" && hasCode(error, "EACCES", "EBUSY", "EPERM");
      if (!isBusy || tries > BUSY_TRIES) throw error;
    }
    await delay(BUSY_PAUSE_MS);
  }
}

/**
 * Writes and syncs a file beside `path`, under a name at which nobody can have
 * planted a link.
 */
async function writeTemporary(
  path: string,
  content: NewContent,
  beforeClose?: (file: FileHandle) => Promise<void>,
): Promise<string> {
  const name = `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`;
  // `join` would resolve `link/..` as text, but the system follows the link
  // first.
  const temporary = `${dirname(path)}${sep}${name}`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await writeAndClose(file, content, beforeClose);
    return temporary;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

async function writeAndClose(
  file: FileHandle,
  content: NewContent,
  beforeClose?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    let written = 0;
    for (const part of typeof content === "string" ? [Buffer.from(content)] : content) {
      await file.writeFile(part);
      written += part.length;
    }
    await file.sync();
    // Some file systems report a short write to a full disk as a success.
    const { size } = await file.stat();
    if (size !== written) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
    await beforeClose?.(file);
  } finally {
    await file.close();
  }
}

/**
 * Returns the name of the file that a temporary file was to replace;
 * `undefined` for others.
 */
export function targetOfTemporary(name: string): string | undefined {
  return /^\.(.+)\.[0-9a-f]{12}\.tmp$/s.exec(name)?.[1];
}

/** The fingerprint of a file that is missing or can't be inspected. */
export const ABSENT = "absent";

/** Returns a string that is different for each version of a file. */
export function fingerprint(path: string): string {
  try {
    return fingerprintOf(statSync(path, { bigint: true }));
  } catch {
    return ABSENT;
  }
}

export function fingerprintOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** @throws FileChangedError if a file no longer has this fingerprint */
export function refuseChanged(path: string, version: string): void {
  if (fingerprint(path) !== version) throw new FileChangedError();
}

/** Makes a rename in the folder survive a crash. @throws NotDurableError */
export async function syncFolder(path: string, system = platform()): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    // Windows syncs only files that are open for writing, which is impossible
    // for a folder. NTFS keeps a journal of renames.
    if (system === "win32" && hasCode(error, "EPERM", "EACCES", "EISDIR")) return;
    const failure = "was written, but may be lost if the machine crashes now";
    throw new NotDurableError(toInvalidData(error, failure).message, { cause: error });
  }
}

/** Creates a folder of mode 0700 and its missing parents. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  // Node's option `recursive` never returns for `/proc/x/y`.
  if (parent !== path && !existsSync(parent)) await makeFolder(parent);
  await mkdir(path, 0o700).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
}

/**
 * Gives a folder mode 0700, regardless of the umask. Uses a descriptor, because
 * `chmod` would follow a link.
 *
 * @param user the id of the user; if `undefined`, since the system has no such
 *   ids, nothing is done
 * @throws Error if it is not a folder or belongs to another user; the file
 *   system's error
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
