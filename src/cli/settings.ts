import { AUTH_SCHEMES, type AuthScheme } from "../client/auth-headers.js";
import { checkSeconds } from "../client/options.js";
import { parseOrigin } from "../client/origin.js";
import { UsageError } from "../domain/errors.js";
import type { Io } from "./io.js";

/** Where each setting of a source may be given. Secrets have no flag: it would show in the process list. */
const SETTINGS = {
  url: { flag: "--url", variable: "APPVARS_URL" },
  apiKey: { flag: "--api-key", variable: "APPVARS_API_KEY" },
  apiSecret: { variable: "APPVARS_API_SECRET" },
  apiSecretFile: { flag: "--api-secret-file" },
  auth: { flag: "--auth", variable: "APPVARS_AUTH" },
  data: { flag: "--data", variable: "APPVARS_DATA" },
  env: { flag: "--env", variable: "APPVARS_ENV" },
  timeout: { flag: "--timeout", variable: "APPVARS_TIMEOUT" },
  maxWait: { flag: "--max-wait", variable: "APPVARS_MAX_WAIT" },
  encKey: { variable: "APPVARS_ENC_KEY" },
  encKeyFile: { flag: "--enc-key-file" },
  caFile: { flag: "--ca-file", variable: "APPVARS_CA_FILE" },
} as const;

export type SettingName = keyof typeof SETTINGS;

/** A setting as it was given: its text, and the flag or variable that gave it. */
export interface Setting {
  name: SettingName;
  text: string;
  from: string;
}

/** All that one place gives: the flags, or the environment variables. */
export type Layer = ReadonlyMap<SettingName, Setting>;

export interface RemoteSettings {
  kind: "remote";
  url: string;
  apiKey: string | undefined;
  /** The secret itself, or the file that it is in. */
  apiSecret: Setting | undefined;
  auth: AuthScheme;
  /** Seconds. */
  timeout: number;
  /** Seconds. */
  maxWait: number;
  caFile: string | undefined;
}

export interface LocalSettings {
  kind: "local";
  data: string;
  env: string | undefined;
}

/** Reads a layer of flags from what commander parsed, or one of environment variables. */
export function readLayer(kind: "flag" | "variable", texts: Record<string, unknown>): Layer {
  const layer = new Map<SettingName, Setting>();
  for (const [name, places] of Object.entries(SETTINGS) as [SettingName, Partial<Record<typeof kind, string>>][]) {
    const from = places[kind];
    const text = from && texts[kind === "flag" ? name : from];
    // An empty variable counts as unset, as everywhere.
    if (from && typeof text === "string" && text !== "") layer.set(name, { name, text, from });
  }
  return layer;
}

/** What commander parses flags to. */
export type SourceFlags = Record<string, unknown>;

/** The places that settings come from, strongest first. */
export function layersOf(flags: SourceFlags, { env }: Pick<Io, "env">): Layer[] {
  return [readLayer("flag", flags), readLayer("variable", env)];
}

/**
 * Puts the layers, strongest first, together with the defaults.
 *
 * @throws UsageError for a setting that is not what it must be; it names the flag or variable
 */
export function resolveSettings(layers: readonly Layer[]): RemoteSettings | LocalSettings {
  const find = (...names: SettingName[]) => findSetting(layers, ...names);
  const place = find("url", "data");
  const env = find("env");
  if (place?.name === "data") return { kind: "local", data: place.text, env: env?.text };
  if (env?.from === SETTINGS.env.flag) throw new UsageError("--env names an environment of a data file: add --data");
  return {
    kind: "remote",
    url: place ? parseOrigin(place.text).origin : "http://127.0.0.1:7400",
    apiKey: find("apiKey")?.text,
    apiSecret: find("apiSecret", "apiSecretFile"),
    auth: parseAuth(find("auth")),
    timeout: parseSeconds(find("timeout"), 10, 0.001),
    maxWait: parseSeconds(find("maxWait"), 60, 0),
    caFile: find("caFile")?.text,
  };
}

/**
 * The strongest setting with one of these names.
 *
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

function parseAuth(setting: Setting | undefined): AuthScheme {
  if (setting === undefined) return "hmac";
  const scheme = AUTH_SCHEMES.find((name) => name === setting.text);
  if (!scheme) throw new UsageError(`${setting.from} must be one of ${AUTH_SCHEMES.join(", ")}`);
  return scheme;
}

function parseSeconds(setting: Setting | undefined, byDefault: number, least: number): number {
  if (setting === undefined) return byDefault;
  const seconds = /^\d+(\.\d+)?$/.test(setting.text) ? Number(setting.text) : Number.NaN;
  checkSeconds(setting.from, seconds, least);
  return seconds;
}
