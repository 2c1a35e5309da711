import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createFile } from "../../kit/files/durable-file.js";
import { toInvalidFile } from "../../kit/files/system-errors.js";
import { InvalidDataError, UsageError } from "../../kit/text/errors.js";
import { shellWord } from "../../kit/text/shell.js";
import { NEEDS_SEAL_KEY } from "../../model/seal-key.js";
import { readContent } from "../../store/file/data-file.js";
import { writeGitFiles } from "../../store/file/git-files.js";
import { type DataLocation, type FileLocation, keyFileOf } from "../settings/connection.js";
import type { Caller } from "../surroundings.js";

/** Returns the location with a key: a new one if the file is not sealed. */
export async function withKeyFile(location: DataLocation, caller: Caller): Promise<DataLocation> {
  if (location.sealKey) return location;
  if (location.kind === "etcd")
    throw new UsageError("to seal a store, use --seal-key-file or APPVARS_SEAL_KEY");
  const { sealed } = await readContent(location.path);
  if (sealed) throw new InvalidDataError(`${location.path} ${NEEDS_SEAL_KEY}`);
  return createKeyFile(location, caller);
}

/**
 * Gives a new file a key, if it has none.
 *
 * @param git writes the files that git needs
 */
export async function sealNewFile(
  location: FileLocation,
  { git, from }: { git?: boolean | undefined; from?: string | undefined },
  caller: Caller,
): Promise<FileLocation> {
  // Written before the data, so that git never sees the files beside it.
  if (git) await writeGitFiles(location.path, from);
  if (location.sealKey || existsSync(location.path)) return location;
  return createKeyFile(location, caller, git);
}

/** Returns the command that makes git ignore files that begin with a path. */
export function ignoreCommand(path: string): string {
  return `echo ${shellWord(`/${basename(path)}*`)} >> ${shellWord(join(dirname(path), ".gitignore"))}`;
}

/**
 * Creates the key file beside a data file.
 *
 * @throws InvalidDataError if it exists, or can't be written
 */
async function createKeyFile(
  location: FileLocation,
  { note }: Caller,
  isIgnored = false,
): Promise<FileLocation> {
  const sealKey = keyFileOf(location.path);
  const { text: path } = sealKey;
  await createFile(path, `${randomBytes(32).toString("hex")}\n`).catch((error: unknown) => {
    throw toInvalidFile(path, error, "can't be written");
  });
  note(`created ${path}: without it, nobody can read the secrets, so keep a copy`);
  if (!isIgnored) note(`keep it out of git: ${ignoreCommand(path)}`);
  return { ...location, sealKey };
}
