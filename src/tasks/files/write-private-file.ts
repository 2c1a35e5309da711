import { constants, lstatSync, realpathSync } from "node:fs";
import { AppendFile } from "../../kit/files/append-file.js";
import { type NewContent, replaceFile } from "../../kit/files/durable-file.js";
import { foreignWriter } from "../../kit/files/owners.js";
import { statIfExists, toInvalidFile } from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { checkFileRisk, type FileUser } from "./safe-files.js";

/**
 * Returns the file to write for a path: the target of a link, unless another
 * user owns the link and could have any file replaced.
 *
 * @throws InvalidDataError, including for a link without a target and a
 *   read-only file
 */
export function outputTarget(path: string, user: FileUser): string {
  const entry = statIfExists(path, lstatSync);
  if (!entry) return path;
  const refuse = (reason: string) => new InvalidDataError(`${path} can't be written: ${reason}`);
  if (entry.isSymbolicLink() && foreignWriter(entry, user))
    throw refuse("it is a link that belongs to another user; use another path");
  const stats = statIfExists(path);
  if (!stats) throw refuse("it is a link, and its target is missing");
  if (!stats.isFile()) throw refuse("it is not a regular file");
  if (!(stats.mode & constants.S_IWUSR))
    throw refuse(command`it is read-only; to allow it, run: chmod u+w ${path}`);
  return entry.isSymbolicLink() ? realpathSync(path) : path;
}

/**
 * Creates or replaces a file atomically, with mode 0600 and the current user as
 * its owner.
 */
export async function writePrivateFile(
  path: string,
  content: NewContent,
  user: FileUser,
): Promise<void> {
  try {
    await replaceFile(outputTarget(path, user), content);
  } catch (error) {
    throw error instanceof InvalidDataError
      ? error
      : toInvalidFile(path, error, "can't be written");
  }
}

/**
 * @throws InvalidDataError as `outputTarget`, and if other users can change the
 *   file
 */
export function appendTarget(path: string, user: FileUser): string {
  checkFileRisk(path, user);
  return outputTarget(path, user);
}

/** Opens a file to append lines to, or creates it. */
export function openToAppend(path: string, user: FileUser): AppendFile {
  const file = new AppendFile(appendTarget(path, user), { user: undefined, groups: [] });
  file.open();
  return file;
}
