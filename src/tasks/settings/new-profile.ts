import { checkCredential } from "../../client/options.js";
import { UsageError } from "../../kit/text/errors.js";
import { absolutePath, type Caller, type Surroundings } from "../surroundings.js";
import { readGiven, Settings } from "./resolve-settings.js";
import { readSecret } from "./secret-files.js";
import { SETTINGS, type Setting, type SettingName, type SourceFlags } from "./setting-table.js";
import type { SettingsObject } from "./settings-file.js";

/** The variables that `serve` prints to paste. Others may be set for other reasons. */
const PASTED: readonly SettingName[] = ["url", "apiKey", "apiSecret"];

/**
 * Reads the settings of a new profile from flags and, for a server, from the variables that `serve`
 * prints, for a store, from the variables for stores, most of which have no flag. It has the API
 * secret instead of its file, and absolute paths.
 *
 * @throws UsageError for an invalid setting, or if there is none
 */
export async function newProfile(flags: SourceFlags, caller: Caller): Promise<Setting[]> {
  const { env } = caller.surroundings;
  const given = givenSettings(flags, env);
  if (given.length === 0)
    throw new UsageError("this profile has no settings: add --url, --data or --store");
  // Before a secret is asked for on stdin.
  new Settings([...given, ...unstored(env)], caller).check();
  return Promise.all(given.map((setting) => toStore(setting, caller)));
}

/** Returns the settings that open the source of a new profile, without retries. */
export function trialSettings(given: readonly Setting[], caller: Caller): Settings {
  const once: Setting = { name: "maxWait", text: "0", from: "--max-wait", origin: "flag" };
  return new Settings([once, ...given, ...unstored(caller.surroundings.env)], caller);
}

/** Returns the settings under their keys in a profile. */
export function toProfile(given: readonly Setting[]): SettingsObject {
  return Object.fromEntries(
    given.map(({ name, text }) => [SETTINGS[name].profile, SETTINGS[name].is === "switch" || text]),
  );
}

function givenSettings(flags: SourceFlags, env: Surroundings["env"]): Setting[] {
  const byFlag = readGiven("flag", flags);
  const isGiven = (name: SettingName) => byFlag.some((setting) => setting.name === name);
  if (isGiven("data")) return byFlag;
  const isUsed = ({ name }: Setting) =>
    (isGiven("store")
      ? SETTINGS[name].isOfStore && SETTINGS[name].profile
      : PASTED.includes(name)) &&
    !isGiven(name) &&
    !(name === "apiSecret" && isGiven("apiSecretFile"));
  return [...byFlag, ...readGiven("variable", env).filter(isUsed)];
}

/** Returns the settings for the check of a profile that no profile can hold. */
function unstored(env: Surroundings["env"]): Setting[] {
  return readGiven("variable", env).filter(({ name }) => name === "storePassword");
}

async function toStore(setting: Setting, caller: Caller): Promise<Setting> {
  const { name, text, from } = setting;
  if (name === "apiKey") checkCredential("API key", text);
  if (name === "apiSecret" || name === "apiSecretFile") {
    const secret = await readSecret(setting, caller);
    checkCredential("API secret", secret);
    return { ...setting, name: "apiSecret", text: secret };
  }
  if (name === "encKeyFile" && text === "-")
    throw new UsageError(`${from} must be a file here: a profile can't hold stdin`);
  return SETTINGS[name].is === "file"
    ? { ...setting, text: absolutePath(text, caller.surroundings) }
    : setting;
}
