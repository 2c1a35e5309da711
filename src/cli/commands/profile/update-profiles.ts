import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppvarsError, InvalidDataError } from "../../../domain/errors.js";
import { makeFolder } from "../../../files/durable-file.js";
import { type HeldLock, withFileLock } from "../../../files/file-lock.js";
import type { Account } from "../../../files/owners.js";
import { ifMissing, toInvalidFile } from "../../../files/system-errors.js";
import { cleanUpBeforeEnd } from "../../processes/signals.js";
import { type Profiles, readProfiles } from "../../settings/profiles.js";

/**
 * Reads the profiles and replaces them by what `change` returns, with mode 0600. It holds a lock, so that no other change
 * is lost. A link to the file stays a link. A current profile that does not exist is removed.
 *
 * @returns what was written
 * @throws UsageError if the file breaks a rule, InvalidDataError if it can't be locked or written; what `change` throws.
 *   The file is unchanged then.
 */
export async function updateProfiles(
  path: string,
  account: Account,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  try {
    // The mode that the XDG Base Directory Specification asks for.
    await makeFolder(dirname(path));
    // The lock and the new file must not be beside a link to the file, which may be missing.
    const found = await realpath(path).catch(ifMissing(undefined));
    const file = found ?? join(await realpath(dirname(path)), basename(path));
    const update = async (lock: HeldLock) => {
      const profiles = withoutDanglingCurrent(change(readProfiles(file, account)));
      await lock.replace(`${JSON.stringify(profiles, null, 2)}\n`);
      return profiles;
    };
    return await cleanUpBeforeEnd((signal) => withFileLock(file, update, signal));
  } catch (error) {
    if (error instanceof AppvarsError && !(error instanceof InvalidDataError)) throw error;
    throw toInvalidFile(path, error, "can't be written");
  }
}

function withoutDanglingCurrent({ current, ...others }: Profiles): Profiles {
  const isKept = current !== undefined && Object.hasOwn(others.profiles, current);
  return isKept ? { version: others.version, current, profiles: others.profiles } : others;
}
