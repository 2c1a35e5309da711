import { constants, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { sep } from "node:path";
import { InvalidDataError } from "../text/errors.js";
import { command } from "../text/shell.js";
import { statIfExists } from "./system-errors.js";

export interface Account {
  /** `undefined` on systems without numeric user ids. */
  user: number | undefined;
  groups: readonly number[];
}

export const ROOT = 0;
export const STICKY = 0o1000;

export type Ownership = Pick<Stats, "uid" | "gid" | "mode">;

export const FOREIGN_OWNER = "belongs to another user";
export const WORLD_WRITABLE = "can be written by everybody";

/**
 * Returns a message without a subject that says why users other than this one
 * and root can write a file, folder or link; `undefined` if they can't. Like
 * ssh for its files, except that the groups of the user and of root may write:
 * on systems where each user has a private group, files have mode 0664.
 */
export function foreignWriter(
  stats: Ownership | undefined,
  { user, groups }: Account,
): string | undefined {
  if (!stats || user === undefined) return undefined;
  const { uid, gid, mode } = stats;
  if (uid !== user && uid !== ROOT) return FOREIGN_OWNER;
  const type = mode & constants.S_IFMT;
  // The mode of a link has no meaning, and only owners can replace files in a
  // sticky folder such as /tmp.
  if (type === constants.S_IFLNK || (type === constants.S_IFDIR && mode & STICKY)) return undefined;
  if (mode & 0o002) return WORLD_WRITABLE;
  return mode & 0o020 && !groups.includes(gid) && gid !== ROOT
    ? "can be written by a group that you are not in"
    : undefined;
}

/**
 * Gives a new file of mode 0600 the owner, the group and the group's read
 * permission of the old one, so that a service can read it.
 */
export async function keepOwner({ uid, gid, mode }: Ownership, file: FileHandle): Promise<void> {
  const now = await file.stat();
  const readers = mode & constants.S_IRGRP;
  if (now.uid !== uid || now.gid !== gid)
    await file.chown(uid, gid).catch(() => {
      if (now.uid === uid && !readers) return;
      const owner = now.uid === uid ? "a group that you are not in" : "another user";
      throw new InvalidDataError(
        `was not written: it belongs to ${owner}, who could no longer read it`,
      );
    });
  if (readers) await file.chmod(0o640);
}

/**
 * Refuses a read-only file, which a rename would still replace.
 *
 * @throws InvalidDataError without a subject
 */
export function refuseReadOnly(path: string, stats: Stats): void {
  // A folder is refused later, when it is read.
  if (stats.isFile() && (stats.mode & constants.S_IWUSR) === 0)
    throw new InvalidDataError(
      `is read-only: to allow changes, run: ${command`chmod u+w ${path}`}`,
    );
}

/**
 * Returns the mode of a file if users other than its owner have access to it;
 * `undefined` for a private or missing file.
 */
export function looseMode(path: string): string | undefined {
  const stats = statIfExists(path);
  if (!stats) return undefined;
  const { uid, gid, mode } = stats;
  // systemd gives a service access to its credentials by an ACL, whose mask
  // appears as the group's mode.
  const isCredential = uid === ROOT && gid === ROOT && (mode & 0o777) === 0o440;
  // Windows always reports these bits.
  return sep === "\\" || (mode & 0o077) === 0 || isCredential
    ? undefined
    : `0${(mode & 0o777).toString(8)}`;
}

export function looseModeWarning(path: string): string | undefined {
  const mode = looseMode(path);
  return (
    mode &&
    `${path} holds secrets and others may read it (mode ${mode}); run: ${command`chmod 600 ${path}`}`
  );
}
