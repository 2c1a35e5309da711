import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppvarsError, InvalidDataError } from "../../../domain/errors.js";
import { keepOwner, makeFolder, refuseHardLinks, removeTemporaries, replaceFile } from "../../../files/durable-file.js";
import { type HeldLock, withFileLock } from "../../../files/file-lock.js";
import type { Account } from "../../../files/path-risks.js";
import { toInvalidData } from "../../../files/system-errors.js";
import { cleanUpBeforeEnd } from "../../processes/signals.js";
import { type Profiles, readProfiles } from "../../settings/profiles.js";

/**
 * Reads the profiles and replaces them by what `change` returns, with mode 0600. It holds a lock, so that no other change
 * is lost. A link to the file stays a link. A current profile that does not exist is removed.
 *
 * @throws UsageError if the file breaks a rule, InvalidDataError if it can't be locked or written; what `change` throws.
 *   The file is unchanged then.
 */
export async function updateProfiles(
  path: string,
  account: Account,
  change: (profiles: Profiles) => Profiles,
): Promise<void> {
  try {
    // The mode that the XDG Base Directory Specification asks for.
    await makeFolder(dirname(path));
    const file = await resolveTarget(path);
    await cleanUpBeforeEnd((signal) => withFileLock(file, (lock) => updateLocked(file, account, change, lock), signal));
  } catch (error) {
    if (error instanceof AppvarsError && !(error instanceof InvalidDataError)) throw error;
    throw new InvalidDataError(`${path} ${toInvalidData(error, "can't be written").message}`, { cause: error });
  }
}

async function updateLocked(
  file: string,
  account: Account,
  change: (profiles: Profiles) => Profiles,
  lock: HeldLock,
): Promise<void> {
  await removeTemporaries(file);
  if (await exists(file)) await refuseHardLinks(file);
  const text = `${JSON.stringify(withoutDanglingCurrent(change(readProfiles(file, account))), null, 2)}\n`;
  await replaceFile(file, text, async (temporary) => {
    if (await exists(file)) await keepOwner(file, temporary);
    await lock.check();
  });
}

/** The path of the file itself, whether it exists or not: the lock and the new file must not be beside a link to it. */
async function resolveTarget(path: string): Promise<string> {
  return (await exists(path)) ? realpath(path) : join(await realpath(dirname(path)), basename(path));
}

async function exists(path: string): Promise<boolean> {
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
