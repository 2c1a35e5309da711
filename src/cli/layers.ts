import type { Io } from "./io.js";
import { profilesPath, readProfile } from "./profiles.js";
import { readProjectFile } from "./project-file.js";
import { findSetting, type Layer, readLayer, type SettingName, type SourceFlags } from "./settings.js";

/** What of the surroundings settings are read from. */
export type SettingsIo = Pick<Io, "env" | "cwd" | "folders" | "user">;

/**
 * The places that settings come from, strongest first: flags, environment variables, `.appvars.json`, the profile.
 *
 * @param attempt reads each layer that is a file; it may give another in the place of one that can't be read
 * @throws UsageError for a file with settings that breaks a rule, or a profile that there is not
 */
export function layersOf(
  flags: SourceFlags,
  io: SettingsIo,
  attempt: (read: () => Layer) => Layer = (read) => read(),
): Layer[] {
  const given = [readLayer("flag", flags), readLayer("variable", io.env)];
  const layers = [...given, attempt(() => readProjectFile(io.cwd, io.user))];
  const isGiven = (name: SettingName) => given.some((layer) => layer.has(name));
  // In CI for one, where the project names a profile that people have, and the environment says all.
  const isDispensable = (isGiven("url") || isGiven("data")) && !isGiven("profile");
  return [...layers, attempt(() => readProfile(profilesPath(io), findSetting(layers, "profile"), isDispensable))];
}
