import { Command } from "commander";
import { addCacheOption } from "../cache-option.js";
import { type Context, withSource } from "../context.js";
import { createDecrypt } from "../decryption.js";
import { runGet } from "../get-values.js";
import { addSourceOptions } from "../source-options.js";

/** What it takes without help or errors in its flags, `quick-get.ts` does, in the same way and sooner. */
export function getCommand(context: Context): Command {
  const command = new Command("get")
    .summary("print the values of variables")
    .description("Print values, one a line, in the order asked: texts as they are, anything else as compact JSON.")
    .argument("<name...>", "names of variables")
    .option("-n, --no-newline", "leave out the last newline")
    .addHelpText("after", '\nExamples:\n  DATABASE_URL="$(appvars get DATABASE_URL)"\n  appvars get --cache=12h PORT')
    .action((names: string[], { newline, cache, ...flags }) =>
      withSource(context.openSource(flags, { cache }), async (source) =>
        runGet({ names, newline }, source, await createDecrypt(flags, context), context),
      ),
    );
  return addSourceOptions(addCacheOption(command));
}
