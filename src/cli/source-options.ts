import { type Command, Option } from "commander";

/** Adds the flags that say where a command reads from: `openSource` takes what they parse to. */
export function addSourceOptions(command: Command): Command {
  return command
    .optionsGroup("Source:")
    .option("--url <url>", "server to read from (APPVARS_URL, default http://127.0.0.1:7400)")
    .option("--api-key <key>", "key of the environment (APPVARS_API_KEY)")
    .addOption(secretFileOption())
    .option("--auth <scheme>", "hmac, or headers to send the secret itself (APPVARS_AUTH, default hmac)")
    .option("--data <file>", "read this data file, with no server (APPVARS_DATA)")
    .option("--env <name>", "its environment: development, or shop/development (APPVARS_ENV)")
    .option("--timeout <seconds>", "for one request (APPVARS_TIMEOUT, default 10)")
    .option("--max-wait <seconds>", "longest to wait in all on 429 and retries (APPVARS_MAX_WAIT, default 60)")
    .option("--ca-file <file>", "trust these certificates (APPVARS_CA_FILE)");
}

export function secretFileOption(): Option {
  return new Option("--api-secret-file <file>", "file with its secret, - for stdin (or set APPVARS_API_SECRET)");
}
