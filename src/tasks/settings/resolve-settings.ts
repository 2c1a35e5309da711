import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { statIfExists } from "../../kit/files/system-errors.js";
import { UsageError } from "../../kit/text/errors.js";
import { type Caller, isFolderGone } from "../surroundings.js";
import { noteLeftOut, settingsOfProfile } from "./profiles.js";
import { PROJECT_FILE, readProjectFile } from "./project-file.js";
import { readSecret } from "./secret-files.js";
import {
  type GivenFlags,
  NotAllowedError,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingList,
  type SettingName,
} from "./setting-table.js";
import { profilesPath, readSettingsFile } from "./settings-file.js";

/** The settings of one command, which are read once. */
export class Settings {
  readonly given: SettingList;
  readonly #caller: Caller;
  readonly #secrets: Partial<Record<SettingName, Promise<string>>> = {};

  constructor(given: SettingList, caller: Caller) {
    this.given = given;
    this.#caller = caller;
  }

  /**
   * The settings of these names or groups, strongest first; some may be
   * blocked.
   */
  findAll(...names: SettingName[]): Setting[] {
    const settings: Setting[] = [];
    for (const setting of this.given) {
      const { group } = SETTINGS[setting.name];
      if (names.includes(setting.name) || names.includes(group)) settings.push(setting);
    }
    return settings;
  }

  /**
   * The strongest of these settings.
   *
   * @throws NotAllowedError if it must not be used; UsageError if one origin
   *   gives alternatives, or for stdin in place of a store's file
   */
  find(...names: SettingName[]): Setting | undefined {
    const [first, second] = this.findAll(...names);
    if (!first) return undefined;
    const { name, text, from, origin, blocked } = first;
    if (blocked !== undefined) throw new NotAllowedError(blocked);
    if (second?.origin === origin && second.name !== name)
      throw new UsageError(`${from} and ${second.from} are mutually exclusive: use only one`);
    const { kind, isOfStore } = SETTINGS[name];
    if (isOfStore && kind === "file" && text === "-")
      throw new UsageError(`${from} must be a file, not stdin`);
    return first;
  }

  /**
   * Finds two settings that need each other.
   *
   * @throws UsageError if only one is given
   */
  findBoth(name: SettingName, otherName: SettingName) {
    const [one, other] = [this.find(name), this.find(otherName)];
    if (!one === !other) return [one, other] as const;
    const needed = one ? otherName : name;
    const missing = Object.values(SETTINGS)
      .filter(({ group }) => group === needed)
      .map(({ flag, variable }) => flag ?? variable);
    throw new UsageError(`${(one ?? other)?.from} needs ${missing.join(" or ")} too`);
  }

  /**
   * Reads the secret for signatures, or the key of values that clients encrypt;
   * once, since it may come from stdin.
   */
  async secret(name: "apiSecret" | "encKey"): Promise<string | undefined> {
    const setting = this.find(name);
    if (setting) this.#secrets[name] ??= readSecret(setting, this.#caller);
    return this.#secrets[name];
  }
}

interface ReadOptions {
  /** Default: both files. */
  files?: readonly (typeof readProfile)[];
  /**
   * Gets the error of a file, whose settings are then left out. Default:
   * throws.
   */
  onError?: (error: unknown) => void;
}

/**
 * Resolves the settings: flags, then environment variables, `.appvars.json` and
 * the profile.
 *
 * @throws UsageError for a settings file that breaks a rule, or a missing
 *   profile
 */
export function readSettings(
  flags: GivenFlags,
  caller: Caller,
  { files = [readProject, readProfile], onError }: ReadOptions = {},
): Settings {
  const given = [
    ...settingsFrom("flag", flags),
    ...settingsFrom("variable", caller.surroundings.env),
  ];
  for (const read of files) {
    try {
      given.push(...read(caller, new Settings(given, caller)));
    } catch (error) {
      // A current folder that has been deleted has no settings file.
      if (isFolderGone(error)) continue;
      if (!onError) throw error;
      onError(error);
    }
  }
  return new Settings(given, caller);
}

/**
 * Reads flags, options of the library, or environment variables.
 *
 * @throws UsageError for an empty flag: `--url "$URL"` without URL must not
 *   select another server
 */
export function settingsFrom(
  origin: "flag" | "variable",
  texts: Record<string, unknown>,
): Setting[] {
  const given: Setting[] = [];
  for (const name of SETTING_NAMES) {
    const from = SETTINGS[name][origin];
    // A flag that is repeated has a list.
    for (const value of [from && texts[origin === "flag" ? name : from]].flat()) {
      const text = value === true || typeof value === "number" ? String(value) : value;
      if (origin === "flag" && text === "") throw new UsageError(`${from} must not be empty`);
      // An empty variable counts as unset, as in other programs.
      if (from && typeof text === "string" && text !== "") given.push({ name, text, from, origin });
    }
  }
  return given;
}

/** Reads the nearest `.appvars.json` that is not skipped. */
export function readProject(caller: Caller): Setting[] {
  for (let folder = caller.surroundings.cwd(); ; folder = dirname(folder)) {
    const given =
      statIfExists(join(folder, PROJECT_FILE), lstatSync) && readProjectFile(folder, caller);
    if (given) return given;
    if (folder === dirname(folder)) return [];
  }
}

/**
 * Reads the chosen profile or, without one, the current profile, and then only
 * notes a file that can't be used.
 *
 * @param stronger the settings that choose the profile, or let it be missing
 * @throws UsageError if the profile does not exist, or the file breaks a rule
 */
export function readProfile(caller: Caller, stronger: Settings): Setting[] {
  const { surroundings } = caller;
  const [chosen] = stronger.findAll("profile");
  const [source] = stronger.findAll("url");
  // In CI, for example, the project names a profile that people have, and the
  // environment gives everything.
  const mayBeMissing =
    source !== undefined &&
    (!chosen || (chosen.origin === "project" && source.origin !== "project"));
  if (chosen?.blocked !== undefined) {
    if (!mayBeMissing) throw new NotAllowedError(chosen.blocked);
    if (!isComplete(stronger))
      caller.note(`continuing without a profile: ${chosen.blocked}`, "once");
    // The current profile is not used instead: the project means another one.
    return [];
  }
  try {
    const file = readSettingsFile(profilesPath(surroundings));
    return file || chosen ? settingsOfProfile(file, chosen, mayBeMissing, surroundings) : [];
  } catch (error) {
    if (chosen && !mayBeMissing) throw error;
    noteLeftOut(error, mayBeMissing && !chosen, caller);
    return [];
  }
}

/** Whether flags and variables give all that is needed to read. */
function isComplete(settings: Settings): boolean {
  const has = (...names: SettingName[]) =>
    settings.findAll(...names).some(({ origin }) => origin !== "project");
  return has("data", "store") || (has("apiKey") && has("apiSecret"));
}
