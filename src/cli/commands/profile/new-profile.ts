import { checkCredential } from "../../../client/options.js";
import { UsageError } from "../../../domain/errors.js";
import type { Context } from "../../output/context.js";
import { absolutePath, type Io } from "../../output/io.js";
import { connectionOf } from "../../settings/connection.js";
import { type Layer, NO_LAYERS, readLayer, type Setting, type SourceFlags } from "../../settings/layers.js";
import { readSecret } from "../../settings/secrets.js";
import {
  FILE_SETTINGS,
  placeOf,
  type SettingName,
  STORE_SETTINGS,
  SWITCH_SETTINGS,
} from "../../settings/setting-names.js";
import { Settings } from "../../settings/settings.js";
import type { SettingsObject } from "../../settings/settings-file.js";
import { openSource, withSource } from "../../sources/open-source.js";

/** The variables that `serve` prints to paste. Others may be set for other reasons. */
const PASTED: readonly SettingName[] = ["url", "apiKey", "apiSecret"];

/**
 * The settings of a new profile: from flags; for a server from the variables that `serve` prints too, and for a store
 * from those for stores, most of which have no flag; never from `.appvars.json` or another profile. With the secret
 * instead of its file, and absolute paths.
 *
 * @throws UsageError for an invalid setting, or if there is none
 */
export async function newProfile(flags: SourceFlags, io: Io): Promise<Layer> {
  const given = givenSettings(flags, io.env);
  if (given.size === 0) throw new UsageError("this profile has no settings: add --url, --data or --store");
  // Before a secret is asked for on stdin.
  connectionOf({ ...NO_LAYERS, flags: given, variables: unstored(io.env) });
  const settings = await Promise.all([...given.values()].map((setting) => toStore(setting, io)));
  return new Map(settings.map((setting) => [setting.name, setting]));
}

/** Sends one signed request, once; for local data, checks that it is valid and has the environment. */
export async function checkProfile(layer: Layer, context: Context): Promise<void> {
  const once: Setting = { name: "maxWait", text: "0", from: "--max-wait" };
  const flags = new Map([...layer, [once.name, once]]);
  const settings = new Settings({ ...NO_LAYERS, flags, variables: unstored(context.io.env) }, context.io);
  await withSource(openSource(settings, context), (source) => source.listVariables({ limit: 1 }));
  await settings.encryptionKey();
}

/** The settings under their keys in a profile. */
export function toProfile(layer: Layer): SettingsObject {
  return Object.fromEntries(
    [...layer.values()].map(({ name, text }) => [placeOf(name, "profile"), SWITCH_SETTINGS.includes(name) || text]),
  );
}

function givenSettings(flags: SourceFlags, env: Io["env"]): Layer {
  const byFlag = readLayer("flag", flags);
  if (byFlag.has("data")) return byFlag;
  const used = byFlag.has("store") ? STORE_SETTINGS.filter((name) => placeOf(name, "profile")) : PASTED;
  const given = new Map([...[...readLayer("variable", env)].filter(([name]) => used.includes(name)), ...byFlag]);
  if (given.has("apiSecretFile")) given.delete("apiSecret");
  return given;
}

/** What the check of a profile needs, and no profile can hold. */
function unstored(env: Io["env"]): Layer {
  return new Map([...readLayer("variable", env)].filter(([name]) => name === "storePassword"));
}

async function toStore(setting: Setting, io: Io): Promise<Setting> {
  const { name, text, from } = setting;
  if (name === "apiKey") checkCredential("API key", text);
  if (name === "apiSecret" || name === "apiSecretFile") {
    const secret = await readSecret(setting, io);
    checkCredential("API secret", secret);
    return { name: "apiSecret", text: secret, from };
  }
  if (name === "encKeyFile" && text === "-")
    throw new UsageError(`${from} must be a file here: a profile can't hold stdin`);
  return FILE_SETTINGS.includes(name) ? { name, text: absolutePath(text, io), from } : setting;
}
