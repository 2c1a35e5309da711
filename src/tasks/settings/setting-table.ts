import { UsageError } from "../../kit/text/errors.js";
import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT, DEFAULT_URL } from "../../model/defaults.js";

/** The data file of commands that create, serve or change one. */
export const DEFAULT_DATA_FILE = "appvars.data.json";

type Origin = "flag" | "variable" | "project" | "profile";

interface SettingDefinition {
  origins: readonly Origin[];
  /**
   * `secret`: never shown. `url`: shown unless it may hold a secret. `switch`:
   * "true" or unset.
   */
  kind?: "file" | "secret" | "switch" | "url";
  /** Whether only the user should have access to this file. */
  isPrivate?: true;
  /** Whether it selects or opens a store. */
  isOfStore?: true;
  /**
   * The first of its alternatives: an origin can give only one of a group.
   * Default: itself.
   */
  group?: string;
  /** The default, as `config` shows it. */
  default?: string;
}

const ANYWHERE = ["flag", "variable", "project", "profile"] as const;
const NOT_IN_PROJECTS = ["flag", "variable", "profile"] as const;

const store = { origins: ["variable", "profile"], isOfStore: true } as const;
const privateFile = { kind: "file", isPrivate: true } as const;

/**
 * All settings, in the order in which `config` prints them. The other names
 * follow from the name here: `--api-key`, `APPVARS_API_KEY`, `api_key`.
 *
 * - Secrets have no flag, which the process list would show, and no key in
 *   `.appvars.json`, which is shared.
 * - A project can't name files with secrets: short contents can be guessed from
 *   a signature or an encrypted value. Exceptions are `clientKey`, since a TLS
 *   key can't be guessed, and `envFile`, whose values only the user's command
 *   gets.
 * - A project can't give `auth` and `insecure`, which could make a client send
 *   the secret itself to the URL in the same file, nor a store, which would get
 *   your password.
 * - `insecure` has no variable, which would apply to every server.
 */
const DEFINITIONS = {
  profile: { origins: ["flag", "variable", "project"] },
  url: { origins: ANYWHERE, kind: "url", default: DEFAULT_URL },
  data: { origins: ANYWHERE, kind: "file", group: "url" },
  store: { origins: NOT_IN_PROJECTS, kind: "url", isOfStore: true, group: "url" },
  env: { origins: ANYWHERE },
  apiKey: { origins: ANYWHERE },
  apiSecret: { origins: ["variable", "profile"], kind: "secret" },
  apiSecretFile: { origins: ["flag", "profile"], ...privateFile, group: "apiSecret" },
  auth: { origins: NOT_IN_PROJECTS, default: "hmac" },
  insecure: { origins: ["flag", "profile"], kind: "switch", default: "false" },
  encKey: { origins: ["variable"], kind: "secret" },
  encKeyFile: { origins: ["flag", "profile"], ...privateFile, group: "encKey" },
  strict: { origins: ["project"], kind: "switch", default: "false" },
  only: { origins: ["project"] },
  envFile: { origins: ["project"], ...privateFile },
  timeout: { origins: ANYWHERE, default: String(DEFAULT_TIMEOUT) },
  maxWait: { origins: ANYWHERE, default: String(DEFAULT_MAX_WAIT) },
  caFile: { origins: ANYWHERE, kind: "file" },
  clientCert: { origins: ANYWHERE, kind: "file" },
  clientKey: { origins: ANYWHERE, ...privateFile },
  sealKey: { origins: ["variable"], kind: "secret", isOfStore: true },
  sealKeyFile: { ...store, ...privateFile, origins: NOT_IN_PROJECTS, group: "sealKey" },
  storeUser: store,
  storePassword: { ...store, origins: ["variable"], kind: "secret" },
  storePasswordFile: { ...store, ...privateFile, group: "storePassword" },
  storeCaFile: { ...store, kind: "file" },
  storeClientCert: { ...store, kind: "file" },
  storeClientKey: { ...store, ...privateFile },
} as const satisfies Record<string, SettingDefinition>;

export type SettingName = keyof typeof DEFINITIONS;

export const SETTING_NAMES = Object.keys(DEFINITIONS) as SettingName[];

/** A row of the table, with its name in each origin that can give it. */
interface SettingRow
  extends Omit<SettingDefinition, "origins">,
    Record<Origin, string | undefined> {
  group: SettingName;
  /** The name in settings files and messages: `max_wait`. */
  key: string;
}

export const SETTINGS = {} as Record<SettingName, SettingRow>;

for (const name of SETTING_NAMES) {
  const { origins, group = name, ...rest }: SettingDefinition = DEFINITIONS[name];
  const key = name.replace(/[A-Z]/g, "_$&").toLowerCase();
  SETTINGS[name] = {
    ...rest,
    group: group as SettingName,
    key,
    flag: origins.includes("flag") ? `--${key.replaceAll("_", "-")}` : undefined,
    variable: origins.includes("variable") ? `APPVARS_${key.toUpperCase()}` : undefined,
    project: origins.includes("project") ? key : undefined,
    profile: origins.includes("profile") ? key : undefined,
  };
}

/** The URL of a Redis, with its password, for `serve` of earlier versions. */
export const RATE_LIMIT_STORE_VARIABLE = "APPVARS_RATE_LIMIT_STORE";

export interface Setting {
  name: SettingName;
  text: string;
  /** The flag, variable or file that gave it. */
  from: string;
  origin: Origin;
  /** Why it must not be used. */
  blocked?: string;
}

/** Strongest first. */
export type SettingList = readonly Setting[];

/** Thrown when a setting is needed that the user has not allowed. */
export class NotAllowedError extends UsageError {}

/** The parsed flags of a command. */
export type GivenFlags = Record<string, unknown>;

export const HIDDEN = "(hidden)";

/** The text of a setting; `undefined` if it is, or may hold, a secret. */
export function shownText({ name, text }: Pick<Setting, "name" | "text">): string | undefined {
  const { kind } = SETTINGS[name];
  // Such a URL is refused when it is used, but may be shown before.
  return kind === "secret" || (kind === "url" && /[@?#]/.test(text)) ? undefined : text;
}
