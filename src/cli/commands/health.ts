import { Command } from "commander";
import type { VariableSource } from "../../domain/source.js";
import type { Context } from "../output/context.js";
import { print } from "../output/printer.js";
import { addSourceOptions } from "../settings/flags.js";
import { readSettings } from "../settings/settings.js";
import { openSource, withSource } from "../sources/open-source.js";

export function healthCommand(context: Context): Command {
  const command = new Command("health")
    .summary("print the server's health")
    .description("Print the server's health. Exits with 7 if it is not healthy. Needs no credentials.")
    .addHelpText("after", "\nExample:\n  until appvars health --max-wait 0; do sleep 1; done")
    .action((flags) =>
      withSource(openSource(readSettings(flags, context.io), context, { anonymous: true }), (source) =>
        runHealth(source, context),
      ),
    );
  return addSourceOptions(command);
}

/** @throws ServerError with the reason if the server is not healthy */
export async function runHealth(source: VariableSource, context: Context): Promise<void> {
  const health = await source.getHealth();
  await print(context, { json: health, rows: [[health.message, `up ${health.uptime} s`, health.date]] });
}
