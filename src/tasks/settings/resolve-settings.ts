import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { statIfExists } from "../../kit/files/system-errors.js";
import { UsageError } from "../../kit/text/errors.js";
import { type Caller, isFolderGone } from "../surroundings.js";
import { type Connection, type DataPlace, dataPlaceOf } from "./connection.js";
import { noteLeftOut, settingsOfProfile } from "./profiles.js";
import { PROJECT_FILE, readProjectFile } from "./project-file.js";
import { remoteSettings } from "./remote-settings.js";
import { readSecret } from "./secret-files.js";
import {
  type GivenSettings,
  NotAllowedError,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SourceFlags,
} from "./setting-table.js";
import { profilesPath, readSettingsFile } from "./settings-file.js";

/** The settings of one command, which are read once. */
export class Settings {
  readonly given: GivenSettings;
  readonly #caller: Caller;
  readonly #secrets: Partial<Record<SettingName, Promise<string | undefined>>> = {};
  #connection: Connection | undefined;

  constructor(given: GivenSettings, caller: Caller) {
    this.given = given;
    this.#caller = caller;
  }

  /**
   * The strongest of the settings that {@link named} finds.
   *
   * @throws NotAllowedError if it must not be used; UsageError if one origin gives two of them
   */
  find(...names: SettingName[]): Setting | undefined {
    const [first, second] = named(this.given, ...names);
    if (first?.blocked !== undefined) throw new NotAllowedError(first.blocked);
    if (second && second.origin === first?.origin && second.name !== first.name)
      throw new UsageError(`${first.from} and ${second.from} are mutually exclusive: use only one`);
    return first;
  }

  /** The server, or the environment of local data, to read from. @throws UsageError */
  get connection(): Connection {
    const source = this.find("url");
    this.#connection ??=
      source && source.name !== "url"
        ? { kind: "local", place: dataPlaceOf(this, source), env: this.find("env")?.text }
        : remoteSettings(this, source);
    return this.#connection;
  }

  /** @throws UsageError for a setting that breaks a rule */
  check(): this {
    return this.connection && this;
  }

  /** The data to create, serve or change. @throws as `dataPlaceOf` */
  get dataPlace(): DataPlace {
    return dataPlaceOf(this, this.find("data", "store"));
  }

  /** Rejects with a UsageError if it can't be read. */
  apiSecret(): Promise<string | undefined> {
    return this.#secret("apiSecret");
  }

  /** The key of the values that clients encrypt. Rejects with a UsageError if it can't be read. */
  encryptionKey(): Promise<string | undefined> {
    return this.#secret("encKey");
  }

  /** Read once, since it may come from stdin. */
  async #secret(name: SettingName): Promise<string | undefined> {
    const setting = this.find(name);
    if (setting) this.#secrets[name] ??= readSecret(setting, this.#caller);
    return this.#secrets[name];
  }
}

/** The settings with one of these names, or in their place, strongest first; some may be blocked. */
export function named(given: GivenSettings, ...names: SettingName[]): Setting[] {
  return given.filter(({ name }) => names.includes(name) || names.includes(SETTINGS[name].group));
}

/**
 * Resolves the settings: flags, then environment variables, `.appvars.json` and the profile.
 *
 * @param onError called with the error of a file, whose settings are then left out. Default: throws
 * @param files the readers of the files, which get the stronger settings
 * @throws UsageError for a settings file that breaks a rule, or a profile that does not exist
 */
export function readSettings(
  flags: SourceFlags,
  caller: Caller,
  onError = (error: unknown): void => {
    throw error;
  },
  files: readonly FileReader[] = [readProject, readProfile],
): Settings {
  const given = [...readGiven("flag", flags), ...readGiven("variable", caller.surroundings.env)];
  for (const read of files) {
    try {
      given.push(...read(caller, given));
    } catch (error) {
      // No settings file is looked for in a current folder that has been deleted, or above it.
      if (!isFolderGone(error)) onError(error);
    }
  }
  return new Settings(given, caller);
}

type FileReader = (caller: Caller, stronger: GivenSettings) => Setting[];

/**
 * Reads flags, options of the library, or environment variables.
 *
 * @throws UsageError for an empty flag: `--url "$URL"` with URL unset must not select another
 *   server
 */
export function readGiven(origin: "flag" | "variable", texts: Record<string, unknown>): Setting[] {
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

/** Reads the nearest `.appvars.json` that is not skipped. @throws as `readProjectFile` */
export function readProject(caller: Caller): Setting[] {
  for (let folder = caller.surroundings.cwd(); ; folder = dirname(folder)) {
    const given =
      statIfExists(join(folder, PROJECT_FILE), lstatSync) && readProjectFile(folder, caller);
    if (given) return given;
    if (folder === dirname(folder)) return [];
  }
}

/**
 * Reads the chosen profile, or else the current one. If no profile was chosen, a file that can't be
 * used is only a note.
 *
 * @param stronger the other settings, which choose the profile or make it dispensable
 * @throws UsageError if the profile does not exist, or the file breaks a rule
 */
export function readProfile(caller: Caller, stronger: GivenSettings): Setting[] {
  const { surroundings } = caller;
  const [chosen] = named(stronger, "profile");
  const [source] = named(stronger, "url");
  // In CI, for example, where the project names a profile that people have, and the environment
  // gives everything.
  const isDispensable =
    source !== undefined &&
    (!chosen || (chosen.origin === "project" && source.origin !== "project"));
  if (chosen?.blocked !== undefined) {
    if (!isDispensable) throw new NotAllowedError(chosen.blocked);
    if (!isComplete(stronger))
      caller.note(`continuing without a profile: ${chosen.blocked}`, "once");
    // The current profile is not used instead: the project means another one.
    return [];
  }
  try {
    const file = readSettingsFile(profilesPath(surroundings));
    return file || chosen ? settingsOfProfile(file, chosen, isDispensable, surroundings) : [];
  } catch (error) {
    if (chosen && !isDispensable) throw error;
    noteLeftOut(error, isDispensable && !chosen, caller);
    return [];
  }
}

/** Whether flags and variables alone say where to read, with the credentials for a server. */
function isComplete(given: GivenSettings): boolean {
  const own = given.filter(({ origin }) => origin !== "project");
  const has = (...names: SettingName[]) => named(own, ...names).length > 0;
  return has("data", "store") || (has("apiKey") && has("apiSecret"));
}
