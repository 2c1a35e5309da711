import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Read } from "../domain/read.js";
import { replaceFile } from "../files/durable-file.js";
import { openForReading, readRegularFile } from "../files/open-file.js";
import { makePrivate, makePrivateFolder, removeFiles } from "../files/private-folder.js";
import { ifMissing } from "../files/system-errors.js";
import { type AnswerOwner, deriveAnswerKeys } from "./answer-keys.js";
import { type AnswerStore, MAX_KEPT_S } from "./cached-source.js";

/** More than the largest answer of a server needs, sealed and in base64. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

/**
 * Keeps each answer in a file with mode 0600, in one folder for each owner with mode 0700. Files are replaced
 * atomically, so any number of processes can use them. Without the secret, neither names nor contents reveal anything.
 *
 * If another user has created one of the folders, or a link in its place, nothing is written or removed.
 *
 * @param cache appvars' folder for caches
 * @param user id of the user who runs this; undefined where the system has no such ids
 */
export function createAnswerFolder(cache: string, owner: AnswerOwner, user: number | undefined): AnswerStore {
  const keys = deriveAnswerKeys(owner);
  const root = join(cache, "answers");
  const folder = join(root, keys.folderName);
  const pathOf = (request: Read) => join(folder, keys.fileName(request));
  const inFolders = async (work: () => Promise<void>) => {
    for (const path of [cache, root, folder]) await makePrivate(path, user);
    await work();
  };
  let swept = false;
  return {
    async read(request) {
      try {
        const file = await openForReading(pathOf(request), { followLinks: false });
        return keys.open(request, (await readRegularFile(file, MAX_FILE_BYTES)).toString("utf8"));
      } catch {
        return undefined;
      }
    },
    async write(request, kept) {
      for (const path of [cache, root, folder]) await makePrivateFolder(path, user);
      await replaceFile(pathOf(request), keys.seal(request, kept));
      if (swept) return;
      swept = true;
      const before = kept.savedAt - MAX_KEPT_S * 1_000;
      // Answers for old credentials and names, and temporary files that killed writers left behind.
      await Promise.all([removeOldFolders(root, before), removeFiles(folder, FILE_NAME, before).catch(() => {})]);
    },
    remove: (request) => inFolders(() => rm(pathOf(request), { force: true })).catch(ifMissing(undefined)),
    clear: () => inFolders(() => removeFolder(folder)).catch(ifMissing(undefined)),
  };
}

/** A name from `deriveAnswerKeys`. */
const KEY_NAME = /^[0-9a-f]{64}$/;
/** The same, or a temporary file that a killed writer left behind. */
const FILE_NAME = /^(?:[0-9a-f]{64}|\.[0-9a-f]{64}\.[0-9a-f]{12}\.tmp)$/;

/** Removes the folders of owners that were last changed before this time: their answers are too old to be used. */
async function removeOldFolders(root: string, before: number): Promise<void> {
  for (const name of (await readdir(root)).filter((name) => KEY_NAME.test(name))) {
    const path = join(root, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isDirectory() && stats.mtimeMs < before) await removeFolder(path).catch(() => {});
  }
}

/** Removes an owner's answers, and the folder if no other files are in it. @throws the file system's error */
async function removeFolder(folder: string): Promise<void> {
  await removeFiles(folder, FILE_NAME, Number.POSITIVE_INFINITY);
  await rmdir(folder).catch(() => {});
}
