import { existsSync } from "node:fs";
import { AUTH_SCHEMES, type AuthScheme } from "../../client/auth-headers.js";
import { checkSeconds, parseOrigin, refuseOpenSecret } from "../../client/options.js";
import { DEFAULT_TIMEOUT, DEFAULT_URL } from "../../domain/defaults.js";
import { aboutUse, UsageError } from "../../domain/errors.js";
import { type DataPlace, dataPlaceOf, type TlsFiles, tlsFilesOf } from "./data-place.js";
import { findSetting, type GivenSettings, type Setting } from "./setting.js";
import { DEFAULT_DATA_FILE, placeOf, SOURCE_SETTINGS } from "./setting-table.js";

export interface RemoteSettings extends TlsFiles {
  kind: "remote";
  url: string;
  apiKey: string | undefined;
  /** The secret, or the file that holds it. */
  apiSecret: Setting | undefined;
  auth: AuthScheme;
  /** Whether the secret itself may be sent without encryption. */
  insecure: boolean;
  /** Seconds. */
  timeout: number;
  /** Seconds; undefined for the defaults of the client. */
  maxWait: number | undefined;
}

export interface LocalSettings {
  kind: "local";
  place: DataPlace;
  env: string | undefined;
}

export type Connection = RemoteSettings | LocalSettings;

/**
 * The connection that the settings and the defaults describe.
 *
 * @throws UsageError that names the flag, variable or file of a setting that breaks a rule
 */
export function connectionOf(given: GivenSettings): Connection {
  const source = findSetting(given, ...SOURCE_SETTINGS);
  if (source && source.name !== "url")
    return { kind: "local", place: dataPlaceOf(given, source), env: findSetting(given, "env")?.text };
  if (given.some(({ name, place }) => name === "env" && place === "flag")) {
    const flags = existsSync(DEFAULT_DATA_FILE) ? `--data ${DEFAULT_DATA_FILE}` : "--data or --store";
    throw new UsageError(`--env names an environment of a data file or a store: add ${flags}`);
  }
  const files = tlsFilesOf(given, "caFile", "clientCert", "clientKey");
  const apiSecret = findSetting(given, "apiSecret", "apiSecretFile");
  const auth = parseAuth(findSetting(given, "auth"));
  checkProject(given, source, auth, files, [apiSecret, files.clientKey]);
  const url = source ? parseUrl(source) : DEFAULT_URL;
  const insecure = isInsecure(given, source);
  refuseOpenSecret(auth, new URL(url), insecure);
  const [timeout, maxWait] = [findSetting(given, "timeout"), findSetting(given, "maxWait")];
  return {
    kind: "remote",
    url,
    apiKey: findSetting(given, "apiKey")?.text,
    apiSecret,
    auth,
    insecure,
    timeout: timeout ? parseSeconds(timeout, 0.001) : DEFAULT_TIMEOUT,
    maxWait: maxWait && parseSeconds(maxWait, 0),
    ...files,
  };
}

/** `insecure` of a profile applies to the server of that profile only. */
function isInsecure(given: GivenSettings, source: Setting | undefined): boolean {
  const setting = findSetting(given, "insecure");
  return setting?.place === "flag" || (setting !== undefined && (!source || source.place === setting.place));
}

/**
 * Another person may have written the project's file. It must not make the client send a secret to its server, identify
 * itself to it with a profile's secret, since such requests could be replayed at your server, or use its certificates for
 * another server.
 *
 * @param secrets must not be a profile's for the project's server
 * @throws UsageError
 */
function checkProject(
  given: GivenSettings,
  source: Setting | undefined,
  auth: AuthScheme,
  files: TlsFiles,
  secrets: readonly (Setting | undefined)[],
): void {
  if (source?.place !== "project") {
    const file = Object.values(files).find((each: Setting | undefined) => each?.place === "project");
    if (!file) return;
    const flag = placeOf(file.name, "flag");
    throw new UsageError(`${file.from} is for a url of the same file only; to use it here too, add ${flag}`);
  }
  if (auth === "headers") {
    throw new UsageError(`auth headers would send the secret itself to ${source.from}; to do so, add --url`);
  }
  const secret = secrets.find((setting) => setting?.place === "profile");
  if (!secret) return;
  const own = given.find(({ name, place }) => name === "url" && place === "profile")?.text ?? DEFAULT_URL;
  if (parseUrl(source) === parseOrigin(own).origin) return;
  throw new UsageError(
    `the ${secret.name === "clientKey" ? "client key" : "secret"} is of a profile for ${own}, but ${source.from} is another server; to use it there, add --url`,
  );
}

function parseUrl({ text, from }: Setting): string {
  try {
    return parseOrigin(text).origin;
  } catch (error) {
    throw aboutUse(from, error);
  }
}

function parseAuth(setting: Setting | undefined): AuthScheme {
  if (setting === undefined) return "hmac";
  const scheme = AUTH_SCHEMES.find((name) => name === setting.text);
  if (!scheme) throw new UsageError(`${setting.from} must be one of ${AUTH_SCHEMES.join(", ")}`);
  return scheme;
}

/** @throws UsageError unless it is `min` seconds or more */
export function parseSeconds({ text, from }: Pick<Setting, "text" | "from">, min: number): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  checkSeconds(from, seconds, min);
  return seconds;
}
