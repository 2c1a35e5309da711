import { resolve } from "node:path";
import { checkCredential } from "../client/options.js";
import { UsageError } from "../domain/errors.js";
import { type Context, noteExchanges, withSource } from "./context.js";
import type { Io } from "./io.js";
import { openSettings } from "./open-source.js";
import { readSecret } from "./read-secret.js";
import {
  FILE_SETTINGS,
  type Layer,
  placeOf,
  readLayer,
  type Setting,
  type SettingName,
  type SourceFlags,
} from "./settings.js";
import type { SettingsObject } from "./settings-file.js";
import { resolveSettings } from "./source-settings.js";

/** The variables that `serve` prints for pasting. Others may be there for reasons that have to do with no profile. */
const PASTED: readonly SettingName[] = ["url", "apiKey", "apiSecret"];

/**
 * What is given for a new profile: by flags and, unless it is for a data file, by the variables that `serve` prints.
 * Never by `.appvars.json` or another profile. With the secret itself in the place of its file, and absolute paths.
 *
 * @throws UsageError for a setting that is not what it must be, or when there is none
 */
export async function newProfile(flags: SourceFlags, io: Io): Promise<Layer> {
  const given = givenSettings(flags, io.env);
  if (given.size === 0) throw new UsageError("nothing is given for this profile: add --url or --data");
  // Before a secret is asked for on stdin.
  resolveSettings([given]);
  const settings = await Promise.all([...given.values()].map((setting) => toStore(setting, io)));
  return new Map(settings.map((setting) => [setting.name, setting]));
}

/** One try of one signed request; for a data file, whether it is sound and has the environment. */
export async function checkProfile(layer: Layer, context: Context): Promise<void> {
  const settings = resolveSettings([layer]);
  const options = noteExchanges(context.note, () => context.flags);
  const opening = openSettings(
    settings.kind === "remote" ? { ...settings, maxWait: 0 } : settings,
    context.io,
    options,
  );
  await withSource(opening, (source) => source.listVariables({ limit: 1 }));
  const key = layer.get("encKeyFile");
  if (key) await readSecret(key, context.io);
}

/** The settings under the keys that a profile has for them. */
export function toProfile(layer: Layer): SettingsObject {
  return Object.fromEntries([...layer.values()].map(({ name, text }) => [placeOf(name, "key"), text]));
}

function givenSettings(flags: SourceFlags, env: Io["env"]): Layer {
  const byFlag = readLayer("flag", flags);
  if (byFlag.has("data")) return byFlag;
  const pasted = [...readLayer("variable", env)].filter(([name]) => PASTED.includes(name));
  const given = new Map([...pasted, ...byFlag]);
  if (given.has("apiSecretFile")) given.delete("apiSecret");
  return given;
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
  return FILE_SETTINGS.includes(name) ? { name, text: resolve(io.cwd, text), from } : setting;
}
