import { checkCredential } from "../../../client/options.js";
import { UsageError } from "../../../kit/text/errors.js";
import { readGiven, Settings } from "../../../tasks/settings/resolve-settings.js";
import { readSecret } from "../../../tasks/settings/secret-files.js";
import {
  isOfStore,
  SETTINGS,
  type Setting,
  type SettingName,
  type SourceFlags,
} from "../../../tasks/settings/setting-table.js";
import type { SettingsObject } from "../../../tasks/settings/settings-file.js";
import { openSource, withSource } from "../../../tasks/sources/open-source.js";
import { absolutePath, type Io } from "../../../tasks/surroundings.js";
import type { Context } from "../../output/context.js";

/** The variables that `serve` prints to paste. Others may be set for other reasons. */
const PASTED: readonly SettingName[] = ["url", "apiKey", "apiSecret"];

/**
 * The settings of a new profile: from flags; for a server from the variables that `serve` prints
 * too, and for a store from those for stores, most of which have no flag; never from
 * `.appvars.json` or another profile. With the secret instead of its file, and absolute paths.
 *
 * @throws UsageError for an invalid setting, or if there is none
 */
export async function newProfile(flags: SourceFlags, io: Io): Promise<Setting[]> {
  const given = givenSettings(flags, io.env);
  if (given.length === 0)
    throw new UsageError("this profile has no settings: add --url, --data or --store");
  // Before a secret is asked for on stdin.
  new Settings([...given, ...unstored(io.env)], io).check();
  return Promise.all(given.map((setting) => toStore(setting, io)));
}

/**
 * Sends one signed request, once; for local data, checks that it is valid and has the environment.
 */
export async function checkProfile(given: readonly Setting[], context: Context): Promise<void> {
  const once: Setting = { name: "maxWait", text: "0", from: "--max-wait", place: "flag" };
  const settings = new Settings([once, ...given, ...unstored(context.io.env)], context.io);
  await withSource(openSource(settings, context), (source) => source.listVariables({ limit: 1 }));
  await settings.encryptionKey();
}

/** The settings under their keys in a profile. */
export function toProfile(given: readonly Setting[]): SettingsObject {
  return Object.fromEntries(
    given.map(({ name, text }) => [SETTINGS[name].profile, SETTINGS[name].is === "switch" || text]),
  );
}

function givenSettings(flags: SourceFlags, env: Io["env"]): Setting[] {
  const byFlag = readGiven("flag", flags);
  const isGiven = (name: SettingName) => byFlag.some((setting) => setting.name === name);
  if (isGiven("data")) return byFlag;
  const isUsed = ({ name }: Setting) =>
    (isGiven("store") ? isOfStore(name) && SETTINGS[name].profile : PASTED.includes(name)) &&
    !isGiven(name) &&
    !(name === "apiSecret" && isGiven("apiSecretFile"));
  return [...byFlag, ...readGiven("variable", env).filter(isUsed)];
}

/** Settings for the check of a profile that no profile can hold. */
function unstored(env: Io["env"]): Setting[] {
  return readGiven("variable", env).filter(({ name }) => name === "storePassword");
}

async function toStore(setting: Setting, io: Io): Promise<Setting> {
  const { name, text, from } = setting;
  if (name === "apiKey") checkCredential("API key", text);
  if (name === "apiSecret" || name === "apiSecretFile") {
    const secret = await readSecret(setting, io);
    checkCredential("API secret", secret);
    return { ...setting, name: "apiSecret", text: secret };
  }
  if (name === "encKeyFile" && text === "-")
    throw new UsageError(`${from} must be a file here: a profile can't hold stdin`);
  return SETTINGS[name].is === "file" ? { ...setting, text: absolutePath(text, io) } : setting;
}
