import { existsSync } from "node:fs";
import {
  AUTH_SCHEMES,
  type AuthScheme,
  checkSeconds,
  parseOrigin,
  refuseOpenSecret,
} from "../../client/options.js";
import { secondsOf } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import { DEFAULT_TIMEOUT, DEFAULT_URL } from "../../model/defaults.js";
import { type TlsFiles, tlsFilesOf } from "./secret-files.js";
import {
  DEFAULT_DATA_FILE,
  type FindableSettings,
  SETTINGS,
  type Setting,
} from "./setting-table.js";

export interface RemoteSettings {
  kind: "remote";
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
  tls: TlsFiles;
}

/**
 * @param source the setting with the URL
 * @throws UsageError that names the flag, variable or file of a setting that breaks a rule
 */
export function remoteSettings(
  settings: FindableSettings,
  source: Setting | undefined,
): RemoteSettings {
  const [env] = settings.named("env");
  if (env?.origin === "flag") {
    const flags = existsSync(DEFAULT_DATA_FILE)
      ? `--data ${DEFAULT_DATA_FILE}`
      : "--data or --store";
    throw new UsageError(`--env names an environment of a data file or a store: add ${flags}`);
  }
  const tls = tlsFilesOf(settings, "caFile", "clientCert", "clientKey");
  const apiSecret = settings.find("apiSecret");
  const scheme = settings.find("auth");
  const auth = scheme ? parseAuth(scheme) : "hmac";
  const origin = source ? parseOrigin(source.text, source.from) : new URL(DEFAULT_URL);
  const url = origin.origin;
  checkProject(settings, source, { url, auth, apiSecret, tls });
  const allowed = settings.find("insecure");
  // The switch of a profile applies to the server of that profile only.
  const insecure =
    allowed !== undefined &&
    (allowed.origin === "flag" || !source || source.origin === allowed.origin);
  refuseOpenSecret(auth, origin, insecure);
  const [timeout, maxWait] = [settings.find("timeout"), settings.find("maxWait")];
  return {
    kind: "remote",
    url,
    from: source?.from ?? "the default",
    apiKey: settings.find("apiKey")?.text,
    apiSecret,
    auth,
    insecure,
    timeout: timeout ? parseSeconds(timeout, 0.001) : DEFAULT_TIMEOUT,
    maxWait: maxWait && parseSeconds(maxWait, 0),
    tls,
  };
}

/**
 * Checks the settings of a project's file, which another person may have written. It must not make
 * the client send a secret to its server, sign requests to it with a profile's secret, which could
 * be replayed at your server, or use its certificates for another server.
 *
 * @throws UsageError
 */
function checkProject(
  { given }: FindableSettings,
  source: Setting | undefined,
  { url, auth, apiSecret, tls }: Pick<RemoteSettings, "url" | "auth" | "apiSecret" | "tls">,
): void {
  if (source?.origin !== "project") {
    for (const file of [tls.ca, tls.cert, tls.key])
      if (file?.origin === "project")
        throw new UsageError(
          `${file.from} is for a url of the same file only; or add ${SETTINGS[file.name].flag}`,
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
    `the ${secret.name === "clientKey" ? "client key" : "secret"} is of a profile for ${own}, but ${source.from} is another server; to use it there, add --url`,
  );
}

function parseAuth({ text, from }: Setting): AuthScheme {
  const scheme = AUTH_SCHEMES.find((name) => name === text);
  if (!scheme) throw new UsageError(`${from} must be one of ${AUTH_SCHEMES.join(", ")}`);
  return scheme;
}

/** @throws UsageError unless it is `min` seconds or more */
function parseSeconds({ text, from }: Setting, min: number): number {
  const seconds = secondsOf(text);
  checkSeconds(from, seconds, min);
  return seconds;
}
