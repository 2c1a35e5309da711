import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../../kit/files/durable-file.js";
import { withFileLock } from "../../kit/files/file-lock.js";
import type { Account } from "../../kit/files/owners.js";
import { ifMissing, toInvalidFile } from "../../kit/files/system-errors.js";
import { cleanUpBeforeEnd } from "../../kit/process/signals.js";
import {
  AppvarsError,
  InvalidDataError,
  NotFoundError,
  UsageError,
} from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { noProfile, type Profiles, readProfiles } from "./profiles.js";
import type { SettingsObject } from "./settings-file.js";

/**
 * Reads the profiles and replaces them by the result of `change`, with mode 0600, under a lock. A
 * link to the file stays a link. A current profile that does not exist is removed.
 *
 * @returns the written profiles
 * @throws UsageError if the file breaks a rule, InvalidDataError if it can't be locked or written,
 *   errors of `change`; the file is then unchanged
 */
export async function updateProfiles(
  path: string,
  account: Account,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  try {
    await makeFolder(dirname(path));
    // The lock and the new file must not be beside a link to the file.
    const file = await realpath(path).catch(ifMissing(path));
    return await cleanUpBeforeEnd((signal) =>
      withFileLock(
        file,
        async (replace) => {
          const { current, ...others } = change(readProfiles(file, account));
          const isKept = current !== undefined && Object.hasOwn(others.profiles, current);
          const profiles = isKept ? { ...others, current } : others;
          await replace(`${JSON.stringify(profiles, null, 2)}\n`);
          return profiles;
        },
        { signal },
      ),
    );
  } catch (error) {
    if (error instanceof AppvarsError && !(error instanceof InvalidDataError)) throw error;
    throw toInvalidFile(path, error, "can't be written");
  }
}

/**
 * Adds a profile, or replaces it with `force`. The first one becomes the current profile.
 *
 * @throws UsageError
 */
export function addProfile(
  all: Profiles,
  name: string,
  settings: SettingsObject,
  force = false,
): Profiles {
  if (!force && Object.hasOwn(all.profiles, name))
    throw new UsageError(`there already is a profile "${name}": add --force to replace it`);
  const current = Object.keys(all.profiles).length === 0 ? { current: name } : {};
  // A computed key is an own property even when it is `__proto__`.
  return { ...all, ...current, profiles: { ...all.profiles, [name]: settings } };
}

/** @throws NotFoundError */
export function useProfile(all: Profiles, name: string): Profiles {
  requireProfiles(all, [name]);
  return { ...all, current: name };
}

/** Removes all of them, or none. @throws NotFoundError */
export function removeProfiles(all: Profiles, names: readonly string[]): Profiles {
  requireProfiles(all, names);
  const kept = Object.entries(all.profiles).filter(([name]) => !names.includes(name));
  return { ...all, profiles: Object.fromEntries(kept) };
}

function requireProfiles({ profiles }: Profiles, names: readonly string[]): void {
  const missing = names
    .filter((name) => !Object.hasOwn(profiles, name))
    .map((name) => {
      const hint = suggestion(name, Object.keys(profiles));
      return hint ? `there is no profile "${name}"${hint}` : noProfile(name, profiles);
    });
  if (missing.length > 0) throw new NotFoundError(missing.join("; "));
}
