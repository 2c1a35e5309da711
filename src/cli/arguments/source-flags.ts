import {
  DEFAULT_CACHE_AGE_S,
  DEFAULT_MAX_WAIT,
  DEFAULT_OUTAGE_WAIT,
  DEFAULT_TIMEOUT,
  DEFAULT_URL,
} from "../../model/defaults.js";
import { AUTH_SCHEMES } from "../../model/server-options.js";
import { parseCacheAge } from "./flag-arguments.js";

/** The help topic with all flags of a source; other help has the usual ones. */
export const CONNECTION = "connection";

export const CONNECTION_HEADING = "Connection:";

export const PROFILE = {
  "--profile <name>": "use the settings of this profile (APPVARS_PROFILE)",
} as const;

export const ENVIRONMENT = {
  "-e, --env <name>": "its environment: development, or shop/development (APPVARS_ENV)",
} as const;

export const SEAL_KEY_FILE = {
  "--seal-key-file <file>": "file with the keys that the data is sealed with (or APPVARS_SEAL_KEY)",
} as const;

export const ENCRYPTION_KEY_FILE = {
  "--enc-key-file <file>":
    "file with the key of encrypted values, - for stdin (or APPVARS_ENC_KEY)",
} as const;

export const API_SECRET_FILE = {
  "--api-secret-file <file>": "file with its secret, - for stdin (or set APPVARS_API_SECRET)",
} as const;

/** Only `--cache=age` has an age: `--cache NAME` must not use NAME as one. */
export const CACHE_FLAGS = {
  "--cache[=age]": {
    help:
      "cache answers, encrypted, and use them while the server can't be reached, up to this age: seconds or a time such " +
      "as 12h (default 24h)",
    preset: String(DEFAULT_CACHE_AGE_S),
    parse: parseCacheAge,
  },
  "--offline": {
    help: "use cached answers only, and send nothing to the server",
    implies: { cache: DEFAULT_CACHE_AGE_S },
    conflicts: ["watch"],
  },
} as const;

const SOURCE_HEADING = `Source (more flags: appvars help ${CONNECTION}):`;

const CONNECTION_FLAGS = {
  [CONNECTION_HEADING]: "",
  "--auth <scheme>": {
    help: "headers sends the secret itself (APPVARS_AUTH, default hmac)",
    choices: AUTH_SCHEMES,
    // The settings report an unknown scheme, from whichever place it comes.
    parse: (scheme: string) => scheme,
  },
  "--insecure": "let --auth headers send the secret over plain http",
  "--store <url>": "read this store: etcd://h1:2379,h2:2379/prefix (APPVARS_STORE)",
  ...SEAL_KEY_FILE,
  "--timeout <seconds>": `for one request (APPVARS_TIMEOUT, default ${DEFAULT_TIMEOUT})`,
  "--max-wait <seconds>":
    "total wait for retries and after 429; the command takes at most this plus one --timeout " +
    `(APPVARS_MAX_WAIT, default ${DEFAULT_MAX_WAIT}, or ${DEFAULT_OUTAGE_WAIT} for an unreachable server)`,
  "--ca-file <file>": "trust these certificates (APPVARS_CA_FILE)",
  "--client-cert <file>": "certificate for a server that requires one (APPVARS_CLIENT_CERT)",
  "--client-key <file>": "its key (APPVARS_CLIENT_KEY)",
  ...ENCRYPTION_KEY_FILE,
} as const;

const SETTING_FLAGS = {
  "--data <file>": "read this data file, with no server (APPVARS_DATA)",
  ...ENVIRONMENT,
  "--url <url>": `server to read from (APPVARS_URL, default ${DEFAULT_URL})`,
  "--api-key <key>": "key of the environment (APPVARS_API_KEY)",
  ...API_SECRET_FILE,
  ...CONNECTION_FLAGS,
} as const;

/** The settings that a profile can have. */
export const PROFILE_SETTING_FLAGS = { [SOURCE_HEADING]: "", ...SETTING_FLAGS } as const;

/** The source of a command that reads: `readSettings` accepts their values. */
export const SOURCE_FLAGS = { [SOURCE_HEADING]: "", ...PROFILE, ...SETTING_FLAGS } as const;
