import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { Command } from "commander";
import type { Context } from "../../output/context.js";
import type { Io } from "../../output/io.js";
import type { ChildEnvironment, CommandLine } from "../../processes/child.js";
import { addAllowReserved } from "../../run/allow-reserved.js";
import { parseLatency, parseShare, parseSkew, rateLimitOption, rateWindowOption } from "../../settings/arguments.js";
import { placeName } from "../../settings/data-place.js";
import type { Sandbox, SandboxOptions } from "./open-sandbox.js";

export function sandboxCommand(context: Context): Command {
  const command = new Command("sandbox")
    .summary("run a command with a throwaway server")
    .description(
      "Start a server on a free loopback port with throwaway credentials, run the command with APPVARS_URL, " +
        "APPVARS_API_KEY and APPVARS_API_SECRET set, and stop the server when the command has ended. Exits with the " +
        "command's exit code. The data is a copy in memory: example data, or that of a file, which is never changed " +
        "and whose credentials the command does not see. Variables with reserved names, which can make programs run " +
        "other code, are left out with a warning.",
    )
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .option("--data <file>", "serve the variables of this data file (default: those that init creates)")
    .option("--env <name>", "environment of the credentials (default: the only one, or development)");
  return addAllowReserved(command, "serve")
    .option("--tls", "serve HTTPS with a throwaway certificate, whose authority APPVARS_CA_FILE names")
    .optionsGroup("Faults, to test clients with:")
    .option("--latency <ms>", "delay each answer, by a random time for 100-500", parseLatency)
    .option("--fail-rate <share>", "answer this share of requests with 503, from 0 to 1", parseShare)
    .addOption(rateLimitOption())
    .addOption(rateWindowOption())
    .option("--clock-skew <seconds>", "set the server's clock ahead, or back with a negative number", parseSkew)
    .addHelpText(
      "after",
      "\nExamples:\n  appvars sandbox -- npm test\n  appvars sandbox --data vars.json --fail-rate 0.2 -- npm test",
    )
    .action((words: CommandLine, { data, env, allowReserved = [], tls = false, rateLimit, rateWindow, ...faults }) =>
      runSandbox(
        words,
        { place: data && { kind: "file", path: data }, env, allowReserved, tls, rateLimit, rateWindow, faults },
        context,
      ),
    );
}

/**
 * Sets the exit code to that of the command, which has ended before this resolves.
 *
 * @throws before the command is started: InvalidDataError, NotFoundError, UsageError
 */
async function runSandbox(command: CommandLine, options: SandboxOptions, context: Context): Promise<void> {
  const { openSandbox } = await import("./open-sandbox.js");
  const { runWhole } = await import("./run-whole.js");
  const sandbox = await openSandbox(options, context);
  try {
    context.tell(
      `serving ${options.place ? placeName(options.place) : "example data"} on ${sandbox.url} until the command ends`,
    );
    const { ca } = sandbox;
    const caFile =
      ca === undefined ? undefined : { path: resolve(tmpdir(), `appvars-ca-${randomUUID()}.pem`), text: ca };
    const env = sandboxEnvironment(context.io, sandbox, caFile?.path);
    context.exitCode = await runWhole(command, env, context, caFile);
  } finally {
    await sandbox.close();
  }
}

/** Variables that would make the command use another source or other credentials. */
const MISLEADING = [
  "APPVARS_DATA",
  "APPVARS_ENV",
  "APPVARS_PROFILE",
  "APPVARS_AUTH",
  "APPVARS_CA_FILE",
  "APPVARS_CLIENT_CERT",
  "APPVARS_CLIENT_KEY",
];

function sandboxEnvironment(
  { env }: Pick<Io, "env">,
  { url, apiKey, apiSecret }: Sandbox,
  caFile: string | undefined,
): ChildEnvironment {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || MISLEADING.includes(name) ? [] : [[name, value] as const],
  );
  const credentials = { APPVARS_API_KEY: apiKey, APPVARS_API_SECRET: apiSecret };
  return { ...Object.fromEntries(kept), APPVARS_URL: url, ...credentials, ...(caFile && { APPVARS_CA_FILE: caFile }) };
}
