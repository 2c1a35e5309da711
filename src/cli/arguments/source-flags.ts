import { Command, Option } from "commander";
import { AUTH_SCHEMES } from "../../client/options.js";
import {
  DEFAULT_MAX_WAIT,
  DEFAULT_OUTAGE_WAIT,
  DEFAULT_TIMEOUT,
  DEFAULT_URL,
} from "../../model/defaults.js";
import { DEFAULT_DATA_FILE } from "../../tasks/settings/setting-table.js";

/**
 * The help topic that lists all flags of {@link addSourceOptions}; the help of commands lists those
 * of most calls.
 */
export const CONNECTION = "connection";

export const CONNECTION_GROUP = "Connection:";

// Options that several commands have, as `command.option` takes them.

export const PROFILE = [
  "--profile <name>",
  "use the settings of this profile (APPVARS_PROFILE)",
] as const;

const ENVIRONMENT = [
  "-e, --env <name>",
  "its environment: development, or shop/development (APPVARS_ENV)",
] as const;

export const SEAL_KEY_FILE = [
  "--seal-key-file <file>",
  "file with the keys that the data is sealed with (or APPVARS_SEAL_KEY)",
] as const;

export const ENCRYPTION_KEY_FILE = [
  "--enc-key-file <file>",
  "file with the key of encrypted values, - for stdin (or APPVARS_ENC_KEY)",
] as const;

export const API_SECRET_FILE = [
  "--api-secret-file <file>",
  "file with its secret, - for stdin (or set APPVARS_API_SECRET)",
] as const;

export const APPLICATION = [
  "--application <application>",
  "the application of the variable, if more than one has the name",
] as const;

export const DRY_RUN = ["--dry-run", "print the changes without making them"] as const;

const SOURCE_GROUP = `Source (more flags: appvars help ${CONNECTION}):`;

/** A command for its help alone. */
export function connectionCommand(): Command {
  const topic = new Command(CONNECTION)
    .description(
      "These flags say where a command reads from. All commands that read variables accept them.",
    )
    .addHelpText(
      "after",
      "\nExample:\n  appvars get PORT --url https://vars.example --ca-file ca.pem --timeout 3",
    );
  return addSourceOptions(topic).action(() => topic.help());
}

/** Adds the flags for the source of a command: `readSettings` accepts their parsed form. */
export function addSourceOptions(command: Command): Command {
  return addSettingOptions(command.optionsGroup(SOURCE_GROUP).option(...PROFILE));
}

/** Lets `--env` be repeated: it parses to a list. */
export function repeatEnvironment(command: Command): Command {
  command.options.find(({ long }) => long === "--env")?.argParser(collect);
  return command;
}

/** The values of a repeated flag. */
export function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

/** The same without `--profile`: the settings that a profile can hold. */
export function addSettingOptions(command: Command): Command {
  return command
    .optionsGroup(SOURCE_GROUP)
    .option("--data <file>", "read this data file, with no server (APPVARS_DATA)")
    .option(...ENVIRONMENT)
    .option("--url <url>", `server to read from (APPVARS_URL, default ${DEFAULT_URL})`)
    .option("--api-key <key>", "key of the environment (APPVARS_API_KEY)")
    .option(...API_SECRET_FILE)
    .optionsGroup(CONNECTION_GROUP)
    .addOption(
      // The settings report an unknown scheme, from whichever place it comes.
      new Option("--auth <scheme>", "headers sends the secret itself (APPVARS_AUTH, default hmac)")
        .choices(AUTH_SCHEMES)
        .argParser((scheme) => scheme),
    )
    .option("--insecure", "let --auth headers send the secret over plain http")
    .option("--store <url>", "read this store: etcd://h1:2379,h2:2379/prefix (APPVARS_STORE)")
    .option(...SEAL_KEY_FILE)
    .option("--timeout <seconds>", `for one request (APPVARS_TIMEOUT, default ${DEFAULT_TIMEOUT})`)
    .option(
      "--max-wait <seconds>",
      "longest to wait in all on 429 and retries; the command takes at most this and one --timeout " +
        `(APPVARS_MAX_WAIT, default ${DEFAULT_MAX_WAIT}, or ${DEFAULT_OUTAGE_WAIT} for an unreachable server)`,
    )
    .option("--ca-file <file>", "trust these certificates (APPVARS_CA_FILE)")
    .option(
      "--client-cert <file>",
      "certificate for a server that requires one (APPVARS_CLIENT_CERT)",
    )
    .option("--client-key <file>", "its key (APPVARS_CLIENT_KEY)")
    .option(...ENCRYPTION_KEY_FILE);
}

/** Adds the flags of commands whose changes go through `updateData`: it makes or prints them. */
export function addDryRun(command: Command): Command {
  return command.option(...DRY_RUN).option("--values", "with --dry-run, print the values too");
}

/**
 * Adds the flags that say which environments of which data a command changes, for
 * `editEnvironments`.
 */
export function addEnvironmentsOptions(command: Command): Command {
  return repeatEnvironment(addDataOptions(command))
    .addOption(new Option("--all-envs", "all environments of the application").conflicts("env"))
    .addOption(new Option(...APPLICATION).conflicts("env"));
}

/** Adds the flags that say which environment of which data a command changes. */
export function addDataOptions(command: Command): Command {
  return addPlaceOptions(command.optionsGroup("Data:").option(...PROFILE)).option(...ENVIRONMENT);
}

/** Adds the flags that say which data a command creates, serves or changes. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option("--data <file>", `the data file (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`)
    .option("--store <url>", "or the store: etcd://h1:2379,h2:2379/prefix (APPVARS_STORE)")
    .option(...SEAL_KEY_FILE);
}
