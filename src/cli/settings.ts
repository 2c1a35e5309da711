import { UsageError } from "../domain/errors.js";

/**
 * Where each setting may be given (cli.md): a flag, an environment variable, a key of `.appvars.json`, a key of a
 * profile. Secrets have no flag, since it would show in the process list, and no key in `.appvars.json`, which is
 * shared with the project. Nor has `auth`, which could make a client send the secret itself to wherever the same
 * file points it.
 */
const SETTINGS = {
  profile: { flag: "--profile", variable: "APPVARS_PROFILE", project: "profile" },
  url: { flag: "--url", variable: "APPVARS_URL", project: "url", key: "url" },
  apiKey: { flag: "--api-key", variable: "APPVARS_API_KEY", project: "api_key", key: "api_key" },
  apiSecret: { variable: "APPVARS_API_SECRET", key: "api_secret" },
  apiSecretFile: { flag: "--api-secret-file", project: "api_secret_file", key: "api_secret_file" },
  auth: { flag: "--auth", variable: "APPVARS_AUTH", key: "auth" },
  data: { flag: "--data", variable: "APPVARS_DATA", project: "data", key: "data" },
  env: { flag: "--env", variable: "APPVARS_ENV", project: "env", key: "env" },
  encKey: { variable: "APPVARS_ENC_KEY" },
  encKeyFile: { flag: "--enc-key-file", project: "enc_key_file", key: "enc_key_file" },
  timeout: { flag: "--timeout", variable: "APPVARS_TIMEOUT", project: "timeout", key: "timeout" },
  maxWait: { flag: "--max-wait", variable: "APPVARS_MAX_WAIT", project: "max_wait", key: "max_wait" },
  caFile: { flag: "--ca-file", variable: "APPVARS_CA_FILE", project: "ca_file", key: "ca_file" },
} as const satisfies Record<string, Places>;

/** The kinds of places: `project` is `.appvars.json`, `key` a profile. */
export type PlaceKind = "flag" | "variable" | "project" | "key";

type Places = Partial<Record<PlaceKind, string>>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The settings that hold a secret themselves: they are never shown. */
export const SECRET_SETTINGS: readonly SettingName[] = ["apiSecret", "encKey"];

/** The settings that name a file. */
export const FILE_SETTINGS: readonly SettingName[] = ["apiSecretFile", "data", "encKeyFile", "caFile"];

/** A setting as it was given: its text, and the flag, variable or file that gave it. */
export interface Setting {
  name: SettingName;
  text: string;
  from: string;
}

/** All that one place gives: the flags, the environment variables, `.appvars.json` or a profile. */
export type Layer = ReadonlyMap<SettingName, Setting>;

/** What a setting is called in one kind of place; undefined where it can't be given there. */
export function placeOf(name: SettingName, kind: PlaceKind): string | undefined {
  return (SETTINGS[name] as Places)[kind];
}

/** What commander parses flags to. */
export type SourceFlags = Record<string, unknown>;

/**
 * Reads a layer of flags from what commander parsed, or one of environment variables.
 *
 * @throws UsageError for an empty flag: `--url "$URL"` with URL unset is not meant to be any other server
 */
export function readLayer(kind: "flag" | "variable", texts: Record<string, unknown>): Layer {
  const layer = new Map<SettingName, Setting>();
  for (const name of SETTING_NAMES) {
    const from = placeOf(name, kind);
    const text = from && texts[kind === "flag" ? name : from];
    if (kind === "flag" && text === "") throw new UsageError(`${from} must not be empty`);
    // An empty variable counts as unset, as everywhere.
    if (from && typeof text === "string" && text !== "") layer.set(name, { name, text, from });
  }
  return layer;
}

/**
 * The strongest setting with one of these names.
 *
 * @param layers strongest first
 * @throws UsageError when one layer gives two of them
 */
export function findSetting(layers: readonly Layer[], ...names: SettingName[]): Setting | undefined {
  for (const layer of layers) {
    const [first, second] = names.flatMap((name) => layer.get(name) ?? []);
    if (first && second) throw new UsageError(`${first.from} and ${second.from} exclude each other: give one`);
    if (first) return first;
  }
  return undefined;
}
