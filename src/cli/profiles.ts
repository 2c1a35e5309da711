import { dirname, join } from "node:path";
import { UsageError } from "../domain/errors.js";
import type { Io } from "./io.js";
import type { Layer, Setting } from "./settings.js";
import { asObject, readKeys, readSettingsObject, type SettingsObject } from "./settings-file.js";

/** The client's profiles as their file holds them. */
export interface Profiles {
  version: 1;
  /** Name of the profile that is taken where none is named. */
  current?: string;
  /** The settings of each profile, under the keys that a profile has for them. */
  profiles: Record<string, SettingsObject>;
}

/** Where the profiles of the user are: in the config folder of the platform. */
export function profilesPath({ folders }: Pick<Io, "folders">): string {
  return join(folders.config, "profiles.json");
}

/** @throws UsageError when the file can't be read or breaks a rule */
export function readProfiles(path: string): Profiles {
  const { version, current, profiles, ...others } = readSettingsObject(path) ?? { version: 1, profiles: {} };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`"${unknown}" in ${path} is not known`);
  if (version !== 1) throw new UsageError(`the version of ${path} must be 1`);
  if (current !== undefined && typeof current !== "string") throw new UsageError(`current in ${path} must be a name`);
  const named = Object.entries(asObject(profiles, `profiles in ${path}`));
  return {
    version,
    ...(current !== undefined && { current }),
    profiles: Object.fromEntries(named.map(([name, object]) => [name, asObject(object, `${name} in ${path}`)])),
  };
}

/**
 * The settings of the profile that was chosen, or else of the current one.
 *
 * @param isDispensable whether none are read of a profile that there is not
 * @throws UsageError when there is no such profile, or the file breaks a rule
 */
export function readProfile(path: string, chosen: Setting | undefined, isDispensable = false): Layer {
  const { current, profiles } = readProfiles(path);
  const name = chosen?.text ?? current;
  if (name === undefined) return new Map();
  const object = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!object && isDispensable) return new Map();
  if (!object) throw new UsageError(`${chosen?.from ?? `current in ${path}`}: ${noProfile(name, profiles)}`);
  return readKeys("key", object, `of profile ${name}`, dirname(path));
}

/** Says that there is no such profile, and which ones there are. */
export function noProfile(name: string, profiles: Profiles["profiles"]): string {
  const names = Object.keys(profiles).join(", ") || "none yet; see appvars profile add";
  return `there is no profile "${name}"; there is ${names}`;
}
