import { type Command, Option } from "commander";
import { AUTH_SCHEMES } from "../client/auth-headers.js";
import { DEFAULT_DATA_FILE } from "./data-path.js";

/** Adds the flags that say where a command reads from: `openSource` takes what they parse to. */
export function addSourceOptions(command: Command): Command {
  return addSettingOptions(command.optionsGroup("Source:").addOption(profileOption()));
}

/** The same without `--profile`: the settings that a profile can hold. */
export function addSettingOptions(command: Command): Command {
  return command
    .optionsGroup("Source:")
    .option("--url <url>", "server to read from (APPVARS_URL, default http://127.0.0.1:7400)")
    .option("--api-key <key>", "key of the environment (APPVARS_API_KEY)")
    .addOption(secretFileOption())
    .addOption(authOption())
    .option("--data <file>", "read this data file, with no server (APPVARS_DATA)")
    .option("--env <name>", "its environment: development, or shop/development (APPVARS_ENV)")
    .option("--timeout <seconds>", "for one request (APPVARS_TIMEOUT, default 10)")
    .option("--max-wait <seconds>", "longest to wait in all on 429 and retries (APPVARS_MAX_WAIT, default 60)")
    .option("--ca-file <file>", "trust these certificates (APPVARS_CA_FILE)")
    .addOption(encryptionKeyOption());
}

/** Adds the flags that say which environment of which data file a command changes. */
export function addDataOptions(command: Command): Command {
  return addDataFileOption(command.optionsGroup("Data:").addOption(profileOption())).option(
    "--env <name>",
    "its environment: development, or shop/development (APPVARS_ENV)",
  );
}

export function addDataFileOption(command: Command): Command {
  return command.option("--data <file>", `the data file (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`);
}

function profileOption(): Option {
  return new Option("--profile <name>", "take the settings of this profile (APPVARS_PROFILE)");
}

/** What is wrong with it is said by the settings, wherever they have it from. */
function authOption(): Option {
  return new Option("--auth <scheme>", "headers sends the secret itself (APPVARS_AUTH, default hmac)")
    .choices(AUTH_SCHEMES)
    .argParser((scheme) => scheme);
}

export function encryptionKeyOption(): Option {
  return new Option("--enc-key-file <file>", "file with the key of encrypted values, - for stdin (or APPVARS_ENC_KEY)");
}

export function secretFileOption(): Option {
  return new Option("--api-secret-file <file>", "file with its secret, - for stdin (or set APPVARS_API_SECRET)");
}
