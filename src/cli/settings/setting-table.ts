import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT, DEFAULT_URL } from "../../domain/defaults.js";
import { UsageError } from "../../domain/errors.js";

/** Where the commands that create, serve or change a data file look for it by default. */
export const DEFAULT_DATA_FILE = "appvars.data.json";

/** The kinds of places that give settings: a flag, an environment variable, `.appvars.json`, a profile. */
export type PlaceKind = "flag" | "variable" | "project" | "profile";

interface Definition {
  /** The places that can give it. */
  in: string;
  /** `secret`: it is one, and never shown. `switch`: on or off, its text is "true". Default any text. */
  is?: "file" | "secret" | "switch";
  /** The setting that it is used in place of: a place can give only one of them. */
  insteadOf?: string;
  /** The default, as `config` shows it. */
  otherwise?: string;
}

/**
 * All settings, in the order in which `config` prints them. Their names in each place follow from the name here:
 * `--api-key`, `APPVARS_API_KEY`, `api_key`.
 *
 * Secrets have no flag, which the process list would show, and no key in `.appvars.json`, which is shared. Files with
 * secrets have no such key either: a project could name any of your files, and short contents can be guessed from a
 * signature or an encrypted value. Only `clientKey` has one, since a TLS key can't be guessed. Nor have `auth` and
 * `insecure`, which could make a client send the secret itself to the URL in the same file. `insecure` has no variable,
 * which would apply to every server. A project can't choose a store at all, which would get your password.
 */
const SETTINGS = {
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
  timeout: { in: "flag variable project profile", otherwise: String(DEFAULT_TIMEOUT) },
  maxWait: { in: "flag variable project profile", otherwise: String(DEFAULT_MAX_WAIT) },
  caFile: { in: "flag variable project profile", is: "file" },
  clientCert: { in: "flag variable project profile", is: "file" },
  clientKey: { in: "flag variable project profile", is: "file" },
  storeKeyFile: { in: "flag variable profile", is: "file" },
  storeUser: { in: "variable profile" },
  storePassword: { in: "variable", is: "secret" },
  storePasswordFile: { in: "variable profile", is: "file", insteadOf: "storePassword" },
  storeCaFile: { in: "variable profile", is: "file" },
  storeClientCert: { in: "variable profile", is: "file" },
  storeClientKey: { in: "variable profile", is: "file" },
} as const satisfies Record<string, Definition>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const DEFINITIONS: Readonly<Record<SettingName, Definition>> = SETTINGS;

/** The name in settings files, which is also the one that is shown: `max_wait`. */
export function settingKey(name: SettingName): string {
  return name.replace(/[A-Z]/g, "_$&").toLowerCase();
}

/** The name of a setting in one kind of place; undefined if it can't be given there. */
export function placeOf(name: SettingName, kind: PlaceKind): string | undefined {
  if (!SETTINGS[name].in.includes(kind)) return undefined;
  if (kind === "flag") return `--${settingKey(name).replaceAll("_", "-")}`;
  return kind === "variable" ? `APPVARS_${settingKey(name).toUpperCase()}` : settingKey(name);
}

/** The settings of which one says where to read. */
export const SOURCE_SETTINGS = ["url", "data", "store"] as const satisfies SettingName[];

/** The settings that say how to open a store, besides its URL. */
export const STORE_SETTINGS = SETTING_NAMES.filter((name) => name.startsWith("store") && name !== "store");

/** The URL of the Redis in which `serve` counts requests. Unlike the flag, it may hold a user and a password. */
export const RATE_LIMIT_STORE_VARIABLE = "APPVARS_RATE_LIMIT_STORE";

/** The variables that hold a credential: `run` removes them from its command's environment. */
export const CREDENTIAL_VARIABLES: readonly string[] = [
  "APPVARS_API_KEY",
  "APPVARS_API_SECRET",
  "APPVARS_ENC_KEY",
  "APPVARS_STORE_PASSWORD",
  RATE_LIMIT_STORE_VARIABLE,
];

/** A setting as it was given: its text, and the flag, variable or file that gave it. */
export interface Setting {
  name: SettingName;
  text: string;
  from: string;
  place: PlaceKind;
  /** Why it must not be used; undefined if it may be. */
  blocked?: string;
}

/** All settings that were given, strongest first: flags, variables, `.appvars.json`, the profile. */
export type GivenSettings = readonly Setting[];

/** Thrown when a setting is needed that the user has not allowed. */
export class NotAllowedError extends UsageError {}

/** The flags of a command, as commander parses them. */
export type SourceFlags = Record<string, unknown>;

/**
 * Reads the flags that commander parsed, or the environment variables.
 *
 * @throws UsageError for an empty flag: `--url "$URL"` with URL unset must not select another server
 */
export function readGiven(place: "flag" | "variable", texts: Record<string, unknown>): Setting[] {
  const given: Setting[] = [];
  for (const name of SETTING_NAMES) {
    const from = placeOf(name, place);
    const value = from && texts[place === "flag" ? name : from];
    const text = value === true ? "true" : value;
    if (place === "flag" && text === "") throw new UsageError(`${from} must not be empty`);
    // An empty variable counts as unset, as in other programs.
    if (from && typeof text === "string" && text !== "") given.push({ name, text, from, place });
  }
  return given;
}

/**
 * The strongest setting that has one of these names.
 *
 * @throws NotAllowedError if it must not be used; UsageError if one place gives two of them
 */
export function findSetting(given: GivenSettings, ...names: SettingName[]): Setting | undefined {
  const [first, second] = given.filter(({ name }) => names.includes(name));
  if (first?.blocked !== undefined) throw new NotAllowedError(first.blocked);
  if (second && second.place === first?.place && second.name !== first.name)
    throw new UsageError(`${first.from} and ${second.from} are mutually exclusive: use only one`);
  return first;
}

/** Whether a setting with one of these names is given, which may be one that must not be used. */
export function hasSetting(given: GivenSettings, ...names: SettingName[]): boolean {
  return given.some(({ name }) => names.includes(name));
}

/** Reads a variable that is on or off, off if it is unset. @throws UsageError for any other text */
export function readSwitch(variable: string, env: Record<string, string | undefined>): boolean {
  const text = env[variable] ?? "";
  if (!["", "0", "1", "false", "true"].includes(text)) throw new UsageError(`${variable} must be 1 or 0`);
  return text === "1" || text === "true";
}

export const HIDDEN = "(hidden)";

/** The text of a setting; undefined if it is, or may hold, a secret. */
export function shownText({ name, text }: Setting): string | undefined {
  const isHidden = DEFINITIONS[name].is === "secret" || (["url", "store"].includes(name) && hidesSecret(text));
  return isHidden ? undefined : text;
}

/** Whether a URL may hold a password or a token. It is refused when it is used, but until then it can be shown. */
export function hidesSecret(url: string): boolean {
  return /[@?#]/.test(url);
}
