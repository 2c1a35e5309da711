import { realpath } from "node:fs/promises";
import { InvalidDataError } from "../domain/errors.js";
import { replaceFile } from "../store/durable-file.js";
import { toInvalidData } from "../store/system-errors.js";

/**
 * Writes a file with mode 0600, all of it or nothing, in the place of one that may be there.
 *
 * @throws InvalidDataError when it can't be written
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    // Behind a link, the file at its far end is replaced; one that is not there yet is made.
    const target = await realpath(path).catch(() => path);
    await replaceFile(target, text, async () => {});
  } catch (error) {
    throw new InvalidDataError(`${path} ${toInvalidData(error, "can't be written").message}`, { cause: error });
  }
}
