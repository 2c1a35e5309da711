import { lstat, realpath, stat, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { makeFolder, replaceFile } from "../../kit/files/durable-file.js";
import { foreignWriter } from "../../kit/files/owners.js";
import { hasCode, toInvalidFile } from "../../kit/files/system-errors.js";
import { refuseNoHome } from "../../kit/process/this-process.js";
import { InvalidDataError, NotFoundError, UsageError } from "../../kit/text/errors.js";
import type { Surroundings } from "../surroundings.js";
import {
  allowedFolder,
  approvalPath,
  approvalText,
  findProjectFile,
  PROJECT_FILE,
  type ProjectContent,
  type ProjectFile,
} from "./project-file.js";

/**
 * The folder of a `.appvars.json`, without links. It need not exist.
 *
 * @throws UsageError for the path of another file
 */
export async function projectFolder(path: string): Promise<string> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isFolder && basename(path) !== PROJECT_FILE)
    throw new UsageError(`${path} is not a folder or a ${PROJECT_FILE}`);
  const folder = isFolder ? path : dirname(path);
  return realpath(folder).catch(() => folder);
}

/**
 * The nearest `.appvars.json`, in the current folder or above it.
 *
 * @throws UsageError for a file of another user, which must be named
 */
export function nearestProjectFile(surroundings: Surroundings): ProjectFile | undefined {
  for (let folder = surroundings.cwd(); ; folder = dirname(folder)) {
    const file = findProjectFile(folder, surroundings);
    if (file?.foreign)
      throw new UsageError(`${file.path} ${file.foreign}: to allow it anyway, name it`);
    if (file || folder === dirname(folder)) return file;
  }
}

export async function allowProject(
  content: ProjectContent,
  surroundings: Surroundings,
): Promise<void> {
  refuseNoHome(surroundings.folders);
  const folder = allowedFolder(surroundings);
  try {
    await makeFolder(folder);
    await refuseForeignFolder(folder, surroundings);
    await replaceFile(approvalPath(content.path, surroundings), approvalText(content));
  } catch (error) {
    throw toInvalidFile(folder, error, "can't be written");
  }
}

export async function revokeProject(path: string, surroundings: Surroundings): Promise<void> {
  await unlink(approvalPath(path, surroundings)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) throw new NotFoundError(`${path} was not allowed`);
    throw toInvalidFile(allowedFolder(surroundings), error, "can't be written");
  });
}

/**
 * Refuses a link, which may lead to other files, and a folder that others can
 * write.
 */
async function refuseForeignFolder(folder: string, surroundings: Surroundings): Promise<void> {
  const stats = await lstat(folder);
  if (!stats.isDirectory())
    throw new InvalidDataError("can't be written: it must be a folder, not a link; remove it");
  const foreign = foreignWriter(stats, surroundings);
  if (foreign)
    throw new InvalidDataError(
      `can't be written: it ${foreign}; remove it, or use chown and chmod go-w`,
    );
}
