import { Command } from "commander";
import { readSettings, Settings } from "../../tasks/settings/resolve-settings.js";
import { openSource, withSource } from "../../tasks/sources/open-source.js";
import { addSourceOptions } from "../arguments/source-flags.js";
import { type Context, print } from "../output/context.js";

export function healthCommand(context: Context): Command {
  const command = new Command("health")
    .description(
      "Print the server's health. Exits with 7 if it is not healthy. Needs no credentials.",
    )
    .addHelpText("after", "\nExample:\n  until appvars health --max-wait 0; do sleep 1; done")
    .action((flags) => runHealth(readSettings(flags, context), context));
  return addSourceOptions(command);
}

async function runHealth({ given }: Settings, context: Context): Promise<void> {
  // Only a flag names other data than the server's: a variable or a file names it for other
  // commands.
  const ofServer = given.filter(
    ({ name, place }) => place === "flag" || (name !== "data" && name !== "store"),
  );
  const opening = openSource(new Settings(ofServer, context), context, { anonymous: true });
  const health = await withSource(opening, (source) => source.getHealth());
  const { message, uptime, date, data_age: age } = health;
  const ofData = age === undefined ? [] : [`data ${age} s old`];
  await print(context, { json: health, rows: [[message, `up ${uptime} s`, date, ...ofData]] });
}
