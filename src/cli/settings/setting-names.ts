/** Where the commands that create, serve or change a data file look for it by default. */
export const DEFAULT_DATA_FILE = "appvars.data.json";

/**
 * The places that can give each setting: a flag, an environment variable, a key of `.appvars.json`, a key of a profile.
 * Secrets have no flag, which the process list would show, and no key in `.appvars.json`, which is shared. Files with
 * secrets have no such key either: a project could name any of your files, and short contents can be guessed from a
 * signature or an encrypted value. Only `clientKey` has one, since a TLS key can't be guessed. Nor have `auth` and
 * `insecure`, which could make a client send the secret itself to the URL in the same file. `insecure` has no variable,
 * which would apply to every server. A project can't choose a store at all, which would get your password.
 */
const SETTINGS = {
  profile: { flag: "--profile", variable: "APPVARS_PROFILE", project: "profile" },
  url: { flag: "--url", variable: "APPVARS_URL", project: "url", profile: "url" },
  apiKey: { flag: "--api-key", variable: "APPVARS_API_KEY", project: "api_key", profile: "api_key" },
  apiSecret: { variable: "APPVARS_API_SECRET", profile: "api_secret" },
  apiSecretFile: { flag: "--api-secret-file", profile: "api_secret_file" },
  auth: { flag: "--auth", variable: "APPVARS_AUTH", profile: "auth" },
  insecure: { flag: "--insecure", profile: "insecure" },
  data: { flag: "--data", variable: "APPVARS_DATA", project: "data", profile: "data" },
  store: { flag: "--store", variable: "APPVARS_STORE", profile: "store" },
  storeKeyFile: { flag: "--store-key-file", variable: "APPVARS_STORE_KEY_FILE", profile: "store_key_file" },
  storeUser: { variable: "APPVARS_STORE_USER", profile: "store_user" },
  storePassword: { variable: "APPVARS_STORE_PASSWORD" },
  storePasswordFile: { variable: "APPVARS_STORE_PASSWORD_FILE", profile: "store_password_file" },
  storeCaFile: { variable: "APPVARS_STORE_CA_FILE", profile: "store_ca_file" },
  storeClientCert: { variable: "APPVARS_STORE_CLIENT_CERT", profile: "store_client_cert" },
  storeClientKey: { variable: "APPVARS_STORE_CLIENT_KEY", profile: "store_client_key" },
  env: { flag: "--env", variable: "APPVARS_ENV", project: "env", profile: "env" },
  encKey: { variable: "APPVARS_ENC_KEY" },
  encKeyFile: { flag: "--enc-key-file", profile: "enc_key_file" },
  timeout: { flag: "--timeout", variable: "APPVARS_TIMEOUT", project: "timeout", profile: "timeout" },
  maxWait: { flag: "--max-wait", variable: "APPVARS_MAX_WAIT", project: "max_wait", profile: "max_wait" },
  caFile: { flag: "--ca-file", variable: "APPVARS_CA_FILE", project: "ca_file", profile: "ca_file" },
  clientCert: {
    flag: "--client-cert",
    variable: "APPVARS_CLIENT_CERT",
    project: "client_cert",
    profile: "client_cert",
  },
  clientKey: { flag: "--client-key", variable: "APPVARS_CLIENT_KEY", project: "client_key", profile: "client_key" },
} as const satisfies Record<string, SettingPlaces>;

export type PlaceKind = "flag" | "variable" | "project" | "profile";

type SettingPlaces = Partial<Record<PlaceKind, string>>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The settings that hold a secret themselves: they are never shown. */
export const SECRET_SETTINGS: readonly SettingName[] = ["apiSecret", "encKey", "storePassword"];

/** The URL of the Redis in which `serve` counts requests. Unlike the flag, it may hold a user and a password. */
export const RATE_LIMIT_STORE_VARIABLE = "APPVARS_RATE_LIMIT_STORE";

/** The variables that hold a credential: `run` removes them from its command's environment. */
export const CREDENTIAL_VARIABLES: readonly string[] = [
  SETTINGS.apiKey.variable,
  SETTINGS.apiSecret.variable,
  SETTINGS.encKey.variable,
  SETTINGS.storePassword.variable,
  RATE_LIMIT_STORE_VARIABLE,
];

export const FILE_SETTINGS: readonly SettingName[] = [
  "apiSecretFile",
  "data",
  "encKeyFile",
  "caFile",
  "clientCert",
  "clientKey",
  "storeKeyFile",
  "storePasswordFile",
  "storeCaFile",
  "storeClientCert",
  "storeClientKey",
];

/** The settings of which one says where to read. */
export const SOURCE_SETTINGS: readonly SettingName[] = ["url", "data", "store"];

/** The settings that say how to open a store, besides its URL. */
export const STORE_SETTINGS: readonly SettingName[] = [
  "storeKeyFile",
  "storeUser",
  "storePassword",
  "storePasswordFile",
  "storeCaFile",
  "storeClientCert",
  "storeClientKey",
];

/** The settings that are on or off. Their text is "true". */
export const SWITCH_SETTINGS: readonly SettingName[] = ["insecure"];

/** The name of a setting in one kind of place; undefined if it can't be given there. */
export function placeOf(name: SettingName, kind: PlaceKind): string | undefined {
  return (SETTINGS[name] as SettingPlaces)[kind];
}
