import { UsageError } from "../../kit/text/errors.js";
import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT, DEFAULT_URL } from "../../model/defaults.js";

/** Where the commands that create, serve or change a data file look for it by default. */
export const DEFAULT_DATA_FILE = "appvars.data.json";

/**
 * The kinds of places that give settings: a flag, an environment variable, `.appvars.json`, a
 * profile.
 */
type PlaceKind = "flag" | "variable" | "project" | "profile";

interface Definition {
  /** The places that can give it. */
  in: string;
  /**
   * `secret`: it is one, and never shown. `switch`: on or off, its text is "true". Default any
   * text.
   */
  is?: "file" | "secret" | "switch";
  /** The setting that it is used in place of: a place can give only one of them. */
  insteadOf?: string;
  /** The default, as `config` shows it. */
  otherwise?: string;
}

/**
 * All settings, in the order in which `config` prints them. Their names in each place follow from
 * the name here: `--api-key`, `APPVARS_API_KEY`, `api_key`.
 *
 * Secrets have no flag, which the process list would show, and no key in `.appvars.json`, which is
 * shared. Files with secrets have no such key either: a project could name any of your files, and
 * short contents can be guessed from a signature or an encrypted value. Only `clientKey` has one,
 * since a TLS key can't be guessed, and `envFile`, whose values only the command that the user runs
 * gets. Nor have `auth` and `insecure`, which could make a client send the secret itself to the URL
 * in the same file. `insecure` has no variable, which would apply to every server. A project can't
 * choose a store at all, which would get your password.
 */
const DEFINITIONS = {
  profile: { in: "flag variable project" },
  url: { in: "flag variable project profile", otherwise: DEFAULT_URL },
  data: { in: "flag variable project profile", is: "file", insteadOf: "url" },
  store: { in: "flag variable profile", insteadOf: "url" },
  env: { in: "flag variable project profile" },
  apiKey: { in: "flag variable project profile" },
  apiSecret: { in: "variable profile", is: "secret" },
  apiSecretFile: { in: "flag profile", is: "file", insteadOf: "apiSecret" },
  auth: { in: "flag variable profile", otherwise: "hmac" },
  insecure: { in: "flag profile", is: "switch", otherwise: "false" },
  encKey: { in: "variable", is: "secret" },
  encKeyFile: { in: "flag profile", is: "file", insteadOf: "encKey" },
  strict: { in: "project", is: "switch", otherwise: "false" },
  only: { in: "project" },
  envFile: { in: "project", is: "file" },
  timeout: { in: "flag variable project profile", otherwise: String(DEFAULT_TIMEOUT) },
  maxWait: { in: "flag variable project profile", otherwise: String(DEFAULT_MAX_WAIT) },
  caFile: { in: "flag variable project profile", is: "file" },
  clientCert: { in: "flag variable project profile", is: "file" },
  clientKey: { in: "flag variable project profile", is: "file" },
  sealKey: { in: "variable", is: "secret" },
  sealKeyFile: { in: "flag variable profile", is: "file", insteadOf: "sealKey" },
  storeUser: { in: "variable profile" },
  storePassword: { in: "variable", is: "secret" },
  storePasswordFile: { in: "variable profile", is: "file", insteadOf: "storePassword" },
  storeCaFile: { in: "variable profile", is: "file" },
  storeClientCert: { in: "variable profile", is: "file" },
  storeClientKey: { in: "variable profile", is: "file" },
} as const satisfies Record<string, Definition>;

export type SettingName = keyof typeof DEFINITIONS;

export const SETTING_NAMES = Object.keys(DEFINITIONS) as SettingName[];

/**
 * A row of the table, with the name in each kind of place: undefined if it can't be given there.
 */
interface SettingRow
  extends Omit<Definition, "in" | "insteadOf">,
    Record<PlaceKind, string | undefined> {
  insteadOf?: SettingName;
  /** The name in settings files, which is also the one that is shown: `max_wait`. */
  key: string;
}

export const SETTINGS = {} as Readonly<Record<SettingName, SettingRow>>;

for (const name of SETTING_NAMES) {
  const { in: places, ...rules }: Definition = DEFINITIONS[name];
  const key = name.replace(/[A-Z]/g, "_$&").toLowerCase();
  const names: SettingRow = {
    key,
    flag: places.includes("flag") ? `--${key.replaceAll("_", "-")}` : undefined,
    variable: places.includes("variable") ? `APPVARS_${key.toUpperCase()}` : undefined,
    project: places.includes("project") ? key : undefined,
    profile: places.includes("profile") ? key : undefined,
  };
  Object.assign(SETTINGS, { [name]: { ...names, ...rules } });
}

/** The settings of which one says where to read. */
export const SOURCE_SETTINGS = ["url", "data", "store"] as const satisfies SettingName[];

/** Whether it says which store to open, or how. */
export function isOfStore(name: SettingName): boolean {
  return /^(store|seal)/.test(name);
}

/** The URL of a Redis, with its password, for `serve` of earlier versions. */
export const RATE_LIMIT_STORE_VARIABLE = "APPVARS_RATE_LIMIT_STORE";

/** A setting as it was given: its text, and the flag, variable or file that gave it. */
export interface Setting {
  name: SettingName;
  text: string;
  from: string;
  place: PlaceKind;
  /** Why it must not be used; undefined if it may be. */
  blocked?: string;
}

/**
 * All settings that were given, strongest first: flags, variables, `.appvars.json`, the profile.
 */
export type GivenSettings = readonly Setting[];

/** The settings of a command, as `Settings` has them. */
export interface FindableSettings {
  readonly given: GivenSettings;
  find(...names: SettingName[]): Setting | undefined;
}

/** Thrown when a setting is needed that the user has not allowed. */
export class NotAllowedError extends UsageError {}

/** The flags of a command, as commander parses them. */
export type SourceFlags = Record<string, unknown>;

export const HIDDEN = "(hidden)";

/** The text of a setting; undefined if it is, or may hold, a secret. */
export function shownText({ name, text }: Setting): string | undefined {
  const isHidden =
    SETTINGS[name].is === "secret" || (["url", "store"].includes(name) && hidesSecret(text));
  return isHidden ? undefined : text;
}

/**
 * Whether a URL may hold a password or a token. It is refused when it is used, but until then it
 * can be shown.
 */
export function hidesSecret(url: string): boolean {
  return /[@?#]/.test(url);
}
