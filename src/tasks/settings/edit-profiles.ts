import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../../kit/files/durable-file.js";
import { withFileLock } from "../../kit/files/file-lock.js";
import type { Account } from "../../kit/files/owners.js";
import { ifMissing, toInvalidFile } from "../../kit/files/system-errors.js";
import { abortOnSignal } from "../../kit/process/signals.js";
import {
  AppvarsError,
  InvalidDataError,
  NotFoundError,
  UsageError,
} from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { checkCredential } from "../../model/server-options.js";
import { absolutePath, type Caller, type Surroundings } from "../surroundings.js";
import { connectionOf } from "./connection.js";
import { describeMissingProfile, type Profiles, readProfiles } from "./profiles.js";
import { Settings, settingsFrom } from "./resolve-settings.js";
import { readSecret } from "./secret-files.js";
import { type GivenFlags, SETTINGS, type Setting, type SettingName } from "./setting-table.js";
import type { SettingsObject } from "./settings-file.js";

/**
 * Replaces the profiles under a lock, with mode 0600. A link to the file stays
 * a link. Removes a current profile that does not exist.
 *
 * @throws UsageError if the file breaks a rule, InvalidDataError if it can't be
 *   locked or written
 */
export async function updateProfiles(
  path: string,
  account: Account,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  try {
    await makeFolder(dirname(path));
    // The lock and the new file must not be beside a link to the file.
    const file = (await realpath(path).catch(ifMissing)) ?? path;
    return await abortOnSignal((signal) =>
      withFileLock(
        file,
        async (replace) => {
          const { current, ...others } = change(readProfiles(file, account));
          const isThere = current !== undefined && Object.hasOwn(others.profiles, current);
          const profiles = isThere ? { ...others, current } : others;
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
 * Adds a profile; replaces one only with `force`. The first one becomes
 * current.
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

export function useProfile(all: Profiles, name: string): Profiles {
  requireProfiles(all, [name]);
  return { ...all, current: name };
}

/** Removes all of them, or none. */
export function removeProfiles(all: Profiles, names: readonly string[]): Profiles {
  requireProfiles(all, names);
  const others = Object.entries(all.profiles).filter(([name]) => !names.includes(name));
  return { ...all, profiles: Object.fromEntries(others) };
}

function requireProfiles({ profiles }: Profiles, names: readonly string[]): void {
  const missing = names
    .filter((name) => !Object.hasOwn(profiles, name))
    .map((name) => {
      const hint = suggestion(name, Object.keys(profiles));
      return hint ? `there is no profile "${name}"${hint}` : describeMissingProfile(name, profiles);
    });
  if (missing.length > 0) throw new NotFoundError(missing.join("; "));
}

/** The variables that `serve` prints. Others may be set for other reasons. */
const PRINTED: readonly SettingName[] = ["url", "apiKey", "apiSecret"];

/**
 * Reads a new profile from the flags and, for a server, from the variables that
 * `serve` prints; for a store, from the store's variables, since most have no
 * flag. Paths become absolute, and the file of the API secret its content.
 */
export async function newProfile(flags: GivenFlags, caller: Caller): Promise<Setting[]> {
  const given = givenSettings(flags, caller.surroundings.env);
  if (given.length === 0)
    throw new UsageError("this profile has no settings: add --url, --data or --store");
  // Checked before a secret is read from stdin.
  connectionOf(trialSettings(given, caller));
  return Promise.all(given.map((setting) => storable(setting, caller)));
}

export function trialSettings(given: readonly Setting[], caller: Caller): Settings {
  const once: Setting = { name: "maxWait", text: "0", from: "--max-wait", origin: "flag" };
  const variables = settingsFrom("variable", caller.surroundings.env);
  // No profile can hold the password.
  const password = variables.filter(({ name }) => name === "storePassword");
  return new Settings([once, ...given, ...password], caller);
}

export function toProfile(given: readonly Setting[]): SettingsObject {
  return Object.fromEntries(
    given.map(({ name, text }) => [
      SETTINGS[name].profile,
      SETTINGS[name].kind === "switch" || text,
    ]),
  );
}

function givenSettings(flags: GivenFlags, env: Surroundings["env"]): Setting[] {
  const fromFlags = settingsFrom("flag", flags);
  const given = fromFlags.map(({ name }) => SETTINGS[name].group);
  if (flags["data"]) return fromFlags;
  const fromVariables = settingsFrom("variable", env).filter(({ name }) => {
    const { profile, isOfStore, group } = SETTINGS[name];
    return (
      !given.includes(group) && (flags["store"] ? profile && isOfStore : PRINTED.includes(name))
    );
  });
  return [...fromFlags, ...fromVariables];
}

async function storable(setting: Setting, caller: Caller): Promise<Setting> {
  const { name, text, from } = setting;
  const { group, kind } = SETTINGS[name];
  if (name === "apiKey") checkCredential("API key", text);
  if (group === "apiSecret") {
    const secret = await readSecret(setting, caller);
    checkCredential("API secret", secret);
    return { ...setting, name: "apiSecret", text: secret };
  }
  if (name === "encKeyFile" && text === "-")
    throw new UsageError(`${from} must be a file here: a profile can't hold stdin`);
  if (kind !== "file") return setting;
  return { ...setting, text: absolutePath(text, caller.surroundings) };
}
