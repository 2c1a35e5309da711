import { Command } from "commander";
import type { Context } from "../output/context.js";
import { addCacheOption } from "../settings/arguments.js";
import { addSourceOptions } from "../settings/flags.js";
import { readSettings } from "../settings/settings.js";
import { createDecrypt } from "../sources/decryption.js";
import { runGet } from "../sources/get-values.js";
import { openSource, withSource } from "../sources/open-source.js";

/** `quick-get.ts` answers most calls sooner, with the same code; this is for `--help`, `--cache` and mistakes. */
export function getCommand(context: Context): Command {
  const command = new Command("get")
    .summary("print the values of variables")
    .description(
      "Print values, one per line, in the given order: strings unchanged, including control characters, everything else as " +
        "compact JSON.",
    )
    .argument("<name...>", "names of variables")
    .option("-n, --no-newline", "omit the last newline")
    .addHelpText("after", '\nExamples:\n  DATABASE_URL="$(appvars get DATABASE_URL)"\n  appvars get --cache=12h PORT')
    .action((names: string[], { newline, cache, ...flags }) => {
      const settings = readSettings(flags, context.io);
      return withSource(openSource(settings, context, { cache }), async (source) =>
        runGet({ names, newline }, source, await createDecrypt(settings), context),
      );
    });
  return addSourceOptions(addCacheOption(command));
}
