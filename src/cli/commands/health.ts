import { Command } from "commander";
import type { VariableSource } from "../../domain/source.js";
import { type Context, withSource } from "../context.js";
import { addSourceOptions } from "../source-options.js";

export function healthCommand(context: Context): Command {
  const command = new Command("health")
    .summary("print the server's health")
    .description("Print the server's health; exits with 7 when it is not healthy. Needs no credentials.")
    .addHelpText("after", "\nExample:\n  until appvars health --max-wait 0; do sleep 1; done")
    .action((flags) =>
      withSource(context.openSource(flags, { anonymous: true }), (source) => runHealth(source, context)),
    );
  return addSourceOptions(command);
}

/** @throws ServerError with what is wrong when the server is not healthy */
export async function runHealth(source: VariableSource, context: Context): Promise<void> {
  const health = await source.getHealth();
  if (context.flags.json) return context.printJson(health);
  context.print(`${health.message}\tup ${health.uptime} s\t${health.date}\n`);
}
