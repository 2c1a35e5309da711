import { dirname } from "node:path";
import { type Account, foreignWriter } from "../../kit/files/owners.js";
import { UsageError } from "../../kit/text/errors.js";
import { optional, type Rule, rule, TEXT } from "../../kit/text/rules.js";
import { command } from "../../kit/text/shell.js";
import { DEFAULT_URL } from "../../model/defaults.js";
import type { Caller, Surroundings } from "../surroundings.js";
import { HIDDEN, type Setting, shownText } from "./setting-table.js";
import {
  parseSettingsFile,
  profilesPath,
  readKeys,
  readSettingsFile,
  SETTINGS_OBJECT,
  type SettingsFile,
  type SettingsObject,
  UnusableFileError,
} from "./settings-file.js";

export interface Profiles {
  version: 1;
  /** The name of the profile that is used if none is named. */
  current?: string;
  profiles: Record<string, SettingsObject>;
}

const fields: Record<keyof Profiles, Rule> = {
  version: rule({ oneOf: [1], must: "be 1" }),
  current: optional(TEXT),
  profiles: rule({ members: SETTINGS_OBJECT }),
};
const PROFILES = rule({ fields, must: "be a JSON object" });
const NO_PROFILES: Profiles = { version: 1, profiles: {} };

/** @throws UnusableFileError if the file can't be trusted or read; UsageError */
export function readProfiles(path: string, account: Account): Profiles {
  return parseProfiles(readSettingsFile(path), account);
}

function parseProfiles(file: SettingsFile | undefined, account: Account): Profiles {
  if (!file) return NO_PROFILES;
  const { path, stats } = file;
  const foreign = foreignWriter(stats, account);
  if (!foreign) return parseSettingsFile(file, PROFILES);
  // The profiles hold secrets, and say where they are sent. ssh checks its
  // configuration likewise.
  const advice = command`make it yours alone with chown and chmod go-w ${path}`;
  throw new UnusableFileError(
    `${path} ${foreign}, who could send your secrets elsewhere: ${advice}`,
  );
}

/** Reads the profiles, or leaves them out as {@link noteLeftOut} does. */
export function readUsableProfiles(caller: Caller, mayBeMissing: boolean): Profiles {
  const { surroundings } = caller;
  try {
    return readProfiles(profilesPath(surroundings), surroundings);
  } catch (error) {
    noteLeftOut(error, mayBeMissing, caller);
    return NO_PROFILES;
  }
}

/**
 * Notes that the profiles are left out: with `sudo -E`, or in a container of
 * another user, the home may not be readable. Throws any other error.
 *
 * @param mayBeMissing whether a file that breaks a rule is left out too
 */
export function noteLeftOut(error: unknown, mayBeMissing: boolean, { note }: Caller): void {
  if (!(error instanceof (mayBeMissing ? UsageError : UnusableFileError))) throw error;
  note(`continuing without profiles: ${error.message}`, "once");
}

/**
 * Returns the settings of the chosen profile or, without one, of the current
 * one, and the name of the current one.
 */
export function settingsOfProfile(
  file: SettingsFile | undefined,
  chosen: Setting | undefined,
  mayBeMissing: boolean,
  surroundings: Surroundings,
): Setting[] {
  const path = profilesPath(surroundings);
  const { current: text, profiles } = parseProfiles(file, surroundings);
  const current: Setting[] =
    text === undefined
      ? []
      : [{ name: "profile", text, from: `current in ${path}`, origin: "profile" }];
  const { text: name, from } = chosen ?? current[0] ?? {};
  const object = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (object)
    return [...readKeys("profile", object, `of profile ${name}`, dirname(path)), ...current];
  if (name !== undefined && !mayBeMissing)
    throw new UsageError(`${from}: ${describeMissingProfile(name, profiles)}`);
  return current;
}

export function describeMissingProfile(name: string, profiles: Profiles["profiles"]): string {
  const names = Object.keys(profiles).join(", ");
  return `there is no profile "${name}"; ${names ? `the profiles are ${names}` : "there are none yet; see appvars profile add"}`;
}

/** The settings that are listed, by their keys. */
const LISTED = { url: "url", data: "data", store: "store", env: "env", api_key: "apiKey" } as const;

export type ListedProfile = { name: string; current: boolean } & Partial<
  Record<keyof typeof LISTED, string>
>;

/** A profile without its secrets. */
export function listedProfile(
  name: string,
  current: boolean,
  settings: SettingsObject,
): ListedProfile {
  const shown = Object.fromEntries(
    Object.entries(LISTED).flatMap(([key, setting]) => {
      const text = settings[key];
      return typeof text === "string" ? [[key, shownText({ name: setting, text }) ?? HIDDEN]] : [];
    }),
  );
  const isLocal = "data" in shown || "store" in shown;
  return { name, current, ...(!isLocal && { url: DEFAULT_URL }), ...shown };
}
