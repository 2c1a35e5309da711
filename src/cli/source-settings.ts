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
  const auth = parseAuth(find("auth"));
  refuseWhatProjectMustNotDo(layers, { place, apiSecret, auth, caFile: find("caFile") });
  return {
    kind: "remote",
    url: place ? parseUrl(place) : DEFAULT_URL,
    apiKey: find("apiKey")?.text,
    apiSecret,
    auth,
    timeout: parseSeconds(find("timeout"), DEFAULT_TIMEOUT, 0.001),
    maxWait: parseSeconds(find("maxWait"), DEFAULT_MAX_WAIT, 0),
    caFile: find("caFile")?.text,
  };
}

/**
 * The files of a project may be somebody else's. So they can't have a secret sent to a server of theirs, nor a
 * signature made for it with a profile's secret, which could be used at yours; nor have a certificate of theirs
 * trusted for another server.
 */
function refuseWhatProjectMustNotDo(
  [, , project, profile]: readonly Layer[],
  given: { place: Setting | undefined; apiSecret: Setting | undefined; auth: AuthScheme; caFile: Setting | undefined },
): void {
  const { place, apiSecret, auth, caFile } = given;
  const isProjectsServer = place !== undefined && place === project?.get("url");
  if (!isProjectsServer) {
    if (!caFile || caFile !== project?.get("caFile")) return;
    throw new UsageError(`${caFile.from} is for a url of the same file only; to trust it here too, add --ca-file`);
  }
  if (auth === "headers") {
    throw new UsageError(`auth headers would send the secret itself to ${place.from}; to do so, add --url`);
  }
  if (!apiSecret || apiSecret !== profile?.get(apiSecret.name)) return;
  const own = profile.get("url")?.text ?? DEFAULT_URL;
  if (parseUrl(place) === parseOrigin(own).origin) return;
  throw new UsageError(
    `the secret is of a profile for ${own}, but ${place.from} is another server; to use it there, add --url`,
  );
}

function parseUrl({ text, from }: Setting): string {
  try {
    return parseOrigin(text).origin;
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${from}: ${error.message}`) : error;
  }
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
