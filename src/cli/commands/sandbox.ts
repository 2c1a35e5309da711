import { Command } from "commander";
import type { Command as CommandLine } from "../child.js";
import type { Context } from "../context.js";
import type { Io } from "../io.js";
import { parseLatency, parseShare, parseSkew, wholeNumber } from "../number-arguments.js";
import type { Sandbox, SandboxOptions } from "../open-sandbox.js";

export function sandboxCommand(context: Context): Command {
  return new Command("sandbox")
    .summary("run a command with a throwaway server")
    .description(
      "Start a server on a free loopback port with throwaway credentials, run the command with APPVARS_URL, " +
        "APPVARS_API_KEY and APPVARS_API_SECRET set, and stop the server when the command has ended. Exits as the " +
        "command does. The data is a copy in memory: example data, or that of a file, which is never changed and " +
        "keeps its credentials to itself.",
    )
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .option("--data <file>", "serve the variables of this data file (default: those that init makes)")
    .option("--env <name>", "whose credentials the command gets (default: the only environment, or development)")
    .optionsGroup("Faults, to test clients with:")
    .option("--latency <ms>", "hold each answer back; 100-500 is a random time between", parseLatency)
    .option("--fail-rate <share>", "answer this share of the requests with 503, from 0 to 1", parseShare)
    .option("--rate-limit <requests>", "allowed in one window, 0 for no limit", wholeNumber(0), 7_500)
    .option("--rate-window <seconds>", "length of the window", wholeNumber(1, 86_400), 60)
    .option("--clock-skew <seconds>", "set the server's clock ahead, or back with -400", parseSkew)
    .addHelpText(
      "after",
      "\nExamples:\n  appvars sandbox -- npm test\n  appvars sandbox --data vars.json --fail-rate 0.2 -- npm test",
    )
    .action((command: CommandLine, { data, env, rateLimit, rateWindow, ...faults }) =>
      runSandbox(command, { data, env, rateLimit, rateWindow, faults }, context),
    );
}

/**
 * Resolves once the command has ended and the server is stopped, with the command's exit code in the context.
 *
 * @throws before the command is started: InvalidDataError, NotFoundError, UsageError
 */
export async function runSandbox(command: CommandLine, options: SandboxOptions, context: Context): Promise<void> {
  const { openSandbox } = await import("../open-sandbox.js");
  const { startFailureReporter } = await import("../child.js");
  const { runWhole } = await import("../run-whole.js");
  const sandbox = await openSandbox(options, context);
  try {
    context.tell(`serving ${options.data ?? "example data"} on ${sandbox.url} until the command ends`);
    const env = childEnvironment(context.io, sandbox);
    context.exitCode = await runWhole(command, env, startFailureReporter(context));
  } finally {
    await sandbox.close();
  }
}

/** What would send the command elsewhere, or have it prove itself otherwise. */
const MISLEADING = ["APPVARS_DATA", "APPVARS_ENV", "APPVARS_PROFILE", "APPVARS_AUTH", "APPVARS_CA_FILE"];

function childEnvironment({ env }: Pick<Io, "env">, { url, apiKey, apiSecret }: Sandbox): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || MISLEADING.includes(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    APPVARS_URL: url,
    APPVARS_API_KEY: apiKey,
    APPVARS_API_SECRET: apiSecret,
  };
}
