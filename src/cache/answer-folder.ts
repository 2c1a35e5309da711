import { chmod, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../store/durable-file.js";
import { type AnswerOwner, type AnswerRequest, deriveAnswerKeys } from "./answer-keys.js";
import { LONGEST_KEPT_S } from "./longest-kept.js";
import { type KeptAnswer, openAnswer, sealAnswer } from "./sealed-answer.js";

/** Where the last answer to each request of one owner is kept. */
export interface AnswerStore {
  /** Undefined for what is not there, or is not what was kept. */
  read(request: AnswerRequest): Promise<KeptAnswer | undefined>;
  /** @throws the file system's error, as the others do */
  write(request: AnswerRequest, kept: KeptAnswer): Promise<void>;
  remove(request: AnswerRequest): Promise<void>;
  /** Removes all of the owner's answers. */
  clear(): Promise<void>;
}

/**
 * One file an answer, mode 0600, in a folder an owner, mode 0700. Each is replaced in one step, so any number of
 * processes can use them at the same time. Neither names nor contents tell a thing to who has not got the secret.
 *
 * @param root the folder for the folders of all owners
 */
export function createAnswerFolder(root: string, owner: AnswerOwner): AnswerStore {
  const keys = deriveAnswerKeys(owner);
  const folder = join(root, keys.folderName);
  const pathOf = (request: AnswerRequest) => join(folder, keys.fileName(request));
  let swept = false;
  return {
    async read(request) {
      const text = await readFile(pathOf(request), "utf8").catch(() => undefined);
      return text === undefined ? undefined : openAnswer(text, keys.sealingKey, keys.context(request));
    },
    async write(request, kept) {
      await makePrivateFolder(root);
      await makePrivateFolder(folder);
      await replaceFile(pathOf(request), sealAnswer(kept, keys.sealingKey, keys.context(request)));
      if (swept) return;
      swept = true;
      const before = kept.savedAt - LONGEST_KEPT_S * 1_000;
      // Of credentials that are not used any more; of names that are not, and of writers that were killed.
      await Promise.all([removeOld(root, before), removeOld(folder, before)]);
    },
    remove: (request) => rm(pathOf(request), { force: true }),
    clear: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Whatever the umask is, and whoever made it. It fails for a folder that somebody else has put there. */
async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** Removes what was last changed before that time, and can't be served to anybody any more. */
async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: before }));
    if (mtimeMs < before) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
