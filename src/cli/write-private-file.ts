import { lstat, realpath, stat } from "node:fs/promises";
import { InvalidDataError } from "../domain/errors.js";
import { replaceFile } from "../store/durable-file.js";
import { toInvalidData } from "../store/system-errors.js";

/**
 * Writes a file with mode 0600 that belongs to who runs this, all of it or nothing, in the place of a file that may
 * be there. Behind a link, the file at its far end is replaced.
 *
 * @throws InvalidDataError when it can't be written, or what is there is a device, a pipe or a folder
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    const isThere = await lstat(path).then(Boolean, () => false);
    if (isThere && !(await stat(path)).isFile()) throw new InvalidDataError("can't be written: it is no regular file");
    await replaceFile(isThere ? await realpath(path) : path, text);
  } catch (error) {
    throw new InvalidDataError(`${path} ${toInvalidData(error, "can't be written").message}`, { cause: error });
  }
}

/** Whether two paths lead to the same file that is there. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([realpath(a), realpath(b)].map((path) => path.catch(() => undefined)));
  return one !== undefined && one === other;
}
