import { existsSync } from "node:fs";
import { AUTH_SCHEMES, type AuthScheme } from "../../client/auth-headers.js";
import { checkSeconds, parseOrigin, refuseOpenSecret } from "../../client/options.js";
import { DEFAULT_TIMEOUT, DEFAULT_URL } from "../../domain/defaults.js";
import { aboutUse, UsageError } from "../../domain/errors.js";
import { type DataPlace, dataPlaceOf } from "./data-place.js";
import { findSetting, type Layers, layerList, requireBoth, type Setting } from "./layers.js";
import { DEFAULT_DATA_FILE, placeOf, SOURCE_SETTINGS } from "./setting-names.js";

export interface RemoteSettings {
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
  caFile: string | undefined;
  /** The files of a client certificate and its key: both or none. */
  clientCert: string | undefined;
  clientKey: string | undefined;
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
export function connectionOf(layers: Layers): Connection {
  const place = findSetting(layers, ...SOURCE_SETTINGS);
  if (place && place.name !== "url")
    return { kind: "local", place: dataPlaceOf(layers, place), env: findSetting(layers, "env")?.text };
  if (layers.flags.get("env")?.from === placeOf("env", "flag")) {
    const flags = existsSync(DEFAULT_DATA_FILE) ? `--data ${DEFAULT_DATA_FILE}` : "--data or --store";
    throw new UsageError(`--env names an environment of a data file or a store: add ${flags}`);
  }
  const apiSecret = findSetting(layers, "apiSecret", "apiSecretFile");
  const auth = parseAuth(findSetting(layers, "auth"));
  const caFile = findSetting(layers, "caFile");
  const [clientCert, clientKey] = [findSetting(layers, "clientCert"), findSetting(layers, "clientKey")];
  requireBoth([clientCert, clientKey], ["--client-cert", "--client-key"]);
  checkProject(layers, { place, auth, tlsFiles: [caFile, clientCert, clientKey], secrets: [apiSecret, clientKey] });
  const url = place ? parseUrl(place) : DEFAULT_URL;
  const insecure = isInsecure(layers, place);
  refuseOpenSecret(auth, new URL(url), insecure);
  const [timeout, maxWait] = [findSetting(layers, "timeout"), findSetting(layers, "maxWait")];
  return {
    kind: "remote",
    url,
    apiKey: findSetting(layers, "apiKey")?.text,
    apiSecret,
    auth,
    insecure,
    timeout: timeout ? parseSeconds(timeout, 0.001) : DEFAULT_TIMEOUT,
    maxWait: maxWait && parseSeconds(maxWait, 0),
    caFile: caFile?.text,
    clientCert: clientCert?.text,
    clientKey: clientKey?.text,
  };
}

/** `insecure` of a profile applies to the server of that profile only. */
function isInsecure(layers: Layers, place: Setting | undefined): boolean {
  const setting = findSetting(layers, "insecure");
  if (!setting || setting.from === placeOf("insecure", "flag")) return setting !== undefined;
  return layerList(layers).some((layer) => layer.get("insecure") === setting && layer.get("url") === place);
}

interface ProjectRisks {
  place: Setting | undefined;
  auth: AuthScheme;
  /** The files that must not be the project's for another server. */
  tlsFiles: readonly (Setting | undefined)[];
  /** What must not be a profile's for the project's server. */
  secrets: readonly (Setting | undefined)[];
}

/**
 * Another person may have written the project's file. It must not make the client send a secret to its server, identify
 * itself to it with a profile's secret, since such requests could be replayed at your server, or use its certificates for
 * another server.
 *
 * @throws UsageError
 */
function checkProject({ project, profile }: Layers, { place, auth, tlsFiles, secrets }: ProjectRisks): void {
  if (place === undefined || place !== project.get("url")) {
    const file = tlsFiles.find((setting) => setting && setting === project.get(setting.name));
    if (!file) return;
    const flag = placeOf(file.name, "flag");
    throw new UsageError(`${file.from} is for a url of the same file only; to use it here too, add ${flag}`);
  }
  if (auth === "headers") {
    throw new UsageError(`auth headers would send the secret itself to ${place.from}; to do so, add --url`);
  }
  const secret = secrets.find((setting) => setting && setting === profile.get(setting.name));
  if (!secret) return;
  const own = profile.get("url")?.text ?? DEFAULT_URL;
  if (parseUrl(place) === parseOrigin(own).origin) return;
  throw new UsageError(
    `the ${secret.name === "clientKey" ? "client key" : "secret"} is of a profile for ${own}, but ${place.from} is another server; to use it there, add --url`,
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
