import { existsSync } from "node:fs";
import { parseSecondsText } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import { DEFAULT_TIMEOUT, DEFAULT_URL } from "../../model/defaults.js";
import {
  type AuthScheme,
  checkSeconds,
  parseAuth,
  parseOrigin,
  refusePlainSecret,
} from "../../model/server-options.js";
import type { Settings } from "./resolve-settings.js";
import type { TlsFileSettings } from "./secret-files.js";
import { DEFAULT_DATA_FILE, SETTINGS, type Setting, type SettingName } from "./setting-table.js";

export interface ServerSettings {
  kind: "server";
  url: string;
  /** The flag, variable or file with the URL. */
  from: string;
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
  tls: TlsFileSettings;
}

/** @param source the setting with the URL */
export function serverSettings(settings: Settings, source: Setting | undefined): ServerSettings {
  refuseEnvFlag(settings);
  const [auth, insecure] = [settings.find("auth"), settings.find("insecure")];
  const [timeout, maxWait] = [settings.find("timeout"), settings.find("maxWait")];
  const remote: ServerSettings = {
    kind: "server",
    url: source ? parseOrigin(source.text, source.from).origin : DEFAULT_URL,
    from: source?.from ?? "the default",
    apiKey: settings.find("apiKey")?.text,
    apiSecret: settings.find("apiSecret"),
    auth: auth ? parseAuth(auth.text, auth.from) : "hmac",
    insecure: insecure !== undefined && applies(insecure, source),
    timeout: timeout ? parseSeconds(timeout, 0.001) : DEFAULT_TIMEOUT,
    maxWait: maxWait && parseSeconds(maxWait, 0),
    tls: tlsFilesOf(settings, "caFile", "clientCert", "clientKey"),
  };
  checkProject(remote, source, settings);
  refusePlainSecret(remote.auth, new URL(remote.url), remote.insecure);
  return remote;
}

/** @throws UsageError for a certificate or a key without the other */
export function tlsFilesOf(
  settings: Settings,
  ca: SettingName,
  cert: SettingName,
  key: SettingName,
): TlsFileSettings {
  const [ownCert, ownKey] = settings.findBoth(cert, key);
  return { ca: settings.find(ca), cert: ownCert, key: ownKey };
}

/** The switch of a profile applies to the server of that profile only. */
function applies(insecure: Setting, source: Setting | undefined): boolean {
  return insecure.origin === "flag" || !source || source.origin === insecure.origin;
}

function refuseEnvFlag(settings: Settings): void {
  const [env] = settings.findAll("env");
  if (env?.origin !== "flag") return;
  const flags = existsSync(DEFAULT_DATA_FILE) ? `--data ${DEFAULT_DATA_FILE}` : "--data or --store";
  throw new UsageError(`--env names an environment of a data file or a store: add ${flags}`);
}

/**
 * Checks the settings of a project's file, which another person may have
 * written. It must not make the client send a secret to its server, sign
 * requests to it with a profile's secret, which could be replayed at your
 * server, or use its certificates for another server.
 */
function checkProject(
  { url, auth, apiSecret, tls }: ServerSettings,
  source: Setting | undefined,
  { given }: Settings,
): void {
  if (source?.origin !== "project") {
    for (const file of [tls.ca, tls.cert, tls.key])
      if (file?.origin === "project")
        throw new UsageError(
          `${file.from} applies only to a url in the same file; ` +
            `to use it anyway, add ${SETTINGS[file.name].flag}`,
        );
    return;
  }
  if (auth === "headers")
    throw new UsageError(
      `auth headers would send the secret itself to ${source.from}; to do so, add --url`,
    );
  const secret = [apiSecret, tls.key].find((setting) => setting?.origin === "profile");
  const own =
    given.find(({ name, origin }) => name === "url" && origin === "profile")?.text ?? DEFAULT_URL;
  if (!secret || url === parseOrigin(own).origin) return;
  throw new UsageError(
    `the ${secret.name === "clientKey" ? "client key" : "secret"} belongs to a profile for ${own}, but ${source.from} is another server; to use it there, add --url`,
  );
}

function parseSeconds({ text, from }: Setting, min: number): number {
  const seconds = parseSecondsText(text);
  checkSeconds(from, seconds, min);
  return seconds;
}
