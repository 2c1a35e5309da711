import { AUTH_SCHEMES, type AuthScheme } from "../client/auth-headers.js";
import { checkSeconds } from "../client/options.js";
import { parseOrigin } from "../client/origin.js";
import { UsageError } from "../domain/errors.js";
import { findSetting, type Layer, placeOf, type Setting, type SettingName } from "./settings.js";

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

export const DEFAULT_URL = "http://127.0.0.1:7400";
export const DEFAULT_TIMEOUT = 10;
export const DEFAULT_MAX_WAIT = 60;

/**
 * Puts the layers, strongest first, together with the defaults.
 *
 * @throws UsageError for a setting that is not what it must be; it names the flag, variable or file
 */
export function resolveSettings(layers: readonly Layer[]): RemoteSettings | LocalSettings {
  const find = (...names: SettingName[]) => findSetting(layers, ...names);
  const place = find("url", "data");
  const env = find("env");
  if (place?.name === "data") return { kind: "local", data: place.text, env: env?.text };
  if (env?.from === placeOf("env", "flag")) {
    throw new UsageError("--env names an environment of a data file: add --data");
  }
  const apiSecret = find("apiSecret", "apiSecretFile");
  refuseLentSecret(layers, place, apiSecret);
  return {
    kind: "remote",
    url: place ? parseUrl(place) : DEFAULT_URL,
    apiKey: find("apiKey")?.text,
    apiSecret,
    auth: parseAuth(find("auth")),
    timeout: parseSeconds(find("timeout"), DEFAULT_TIMEOUT, 0.001),
    maxWait: parseSeconds(find("maxWait"), DEFAULT_MAX_WAIT, 0),
    caFile: find("caFile")?.text,
  };
}

/**
 * A profile's secret is not used for another server because the files of a project say so: the project may be
 * somebody else's, and a signature made for their server could be used at yours.
 */
function refuseLentSecret(layers: readonly Layer[], place: Setting | undefined, secret: Setting | undefined): void {
  const [, , project, profile] = layers;
  if (!place || project?.get("url") !== place || !secret || profile?.get(secret.name) !== secret) return;
  const own = profile.get("url")?.text ?? DEFAULT_URL;
  if (parseUrl(place) === parseOrigin(own).origin) return;
  throw new UsageError(
    `the secret is of a profile for ${own}, but ${place.from} is another server; to use it there, add --url`,
  );
}

function parseUrl(setting: Setting): string {
  return parseOrigin(setting.text).origin;
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
