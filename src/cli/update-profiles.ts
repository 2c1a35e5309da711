import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppvarsError, InvalidDataError } from "../domain/errors.js";
import { keepOwner, removeTemporaries, replaceFile } from "../store/durable-file.js";
import { withFileLock } from "../store/file-lock.js";
import { toInvalidData } from "../store/system-errors.js";
import { type Profiles, readProfiles } from "./profiles.js";

/**
 * Reads the profiles, lets `change` make new ones of them and puts those in their place, with mode 0600 whatever it
 * was before. All under a lock, so that no other change is lost. A link to the file stays a link. A current profile
 * that there is not is left out.
 *
 * @throws UsageError when the file breaks a rule, InvalidDataError when it can't be locked or written; what `change`
 *   throws. The file is then as it was.
 */
export async function updateProfiles(path: string, change: (profiles: Profiles) => Profiles): Promise<void> {
  try {
    // The mode that the XDG Base Directory Specification asks for.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await farEnd(path);
    await withFileLock(file, async (lock) => {
      await removeTemporaries(file);
      const text = `${JSON.stringify(withoutDanglingCurrent(change(readProfiles(file))), null, 2)}\n`;
      await replaceFile(file, text, async (temporary) => {
        if (await isThere(file)) await keepOwner(file, temporary);
        await lock.check();
      });
    });
  } catch (error) {
    if (error instanceof AppvarsError && !(error instanceof InvalidDataError)) throw error;
    throw new InvalidDataError(`${path} ${toInvalidData(error, "can't be written").message}`, { cause: error });
  }
}

/** The file itself, be it there or not, since a lock and a replacement have to be of no link. */
async function farEnd(path: string): Promise<string> {
  return (await isThere(path)) ? realpath(path) : join(await realpath(dirname(path)), basename(path));
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

function withoutDanglingCurrent({ current, ...others }: Profiles): Profiles {
  const isKept = current !== undefined && Object.hasOwn(others.profiles, current);
  return isKept ? { version: others.version, current, profiles: others.profiles } : others;
}
