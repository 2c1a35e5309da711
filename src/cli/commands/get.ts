import { Command, Option } from "commander";
import { UsageError } from "../../kit/text/errors.js";
import { addCacheOptions } from "../arguments/cache-flags.js";
import { addSourceOptions } from "../arguments/source-flags.js";
import type { Context } from "../output/context.js";
import { runGet } from "./run-get.js";

/**
 * `start.ts` answers most calls sooner, with the same code; this is for `--help`, `--cache`,
 * `--offline` and mistakes.
 */
export function getCommand(context: Context): Command {
  const command = new Command("get")
    .description(
      "Print values, one per line, in the given order: strings unchanged, including control characters, everything else as " +
        "compact JSON.",
    )
    .argument("<name...>", "names of variables")
    .option("-n, --no-newline", "omit the last newline")
    .addOption(
      new Option(
        "-0, --null",
        "end each value with a NUL instead of a newline, for values of several lines",
      ).conflicts("newline"),
    )
    .addHelpText(
      "after",
      '\nExamples:\n  DATABASE_URL="$(appvars get DATABASE_URL)"\n  appvars get --cache=12h PORT\n' +
        "  mapfile -d '' -t values < <(appvars get -0 TLS_CERT TLS_KEY)",
    )
    .action((names: string[], { newline, null: endsWithNul = false, cache, offline, ...flags }) => {
      if (endsWithNul && context.flags.json)
        throw new UsageError("option '-0, --null' cannot be used with option '--json'");
      return runGet({ names, newline, null: endsWithNul, cache, offline }, flags, context);
    });
  return addSourceOptions(addCacheOptions(command));
}
