import { Command } from "commander";
import type { Context } from "../output/context.js";
import { printLines } from "../output/printer.js";
import { pasteLines } from "../serving/credentials.js";
import type { DataPlace } from "../settings/data-place.js";
import { DEFAULT_DATA_FILE } from "../settings/setting-names.js";
import { readSettings } from "../settings/settings.js";

export function initCommand(context: Context): Command {
  return new Command("init")
    .summary("create a data file")
    .description(
      "Create a data file with the environments development, test and production, each with new random " +
        "credentials, and a few example variables. Prints the lines that configure a shell for development.",
    )
    .option("--data <file>", `where (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`)
    .addHelpText("after", "\nExample:\n  appvars init --data vars.json")
    .action(({ data }) => runInit(readSettings({ data }, context.io).dataPlace, context));
}

async function runInit(place: DataPlace, context: Context): Promise<void> {
  const { localData } = await import("../sources/open-local.js");
  const local = await localData(place, context.io);
  const warning = local.check("change");
  if (warning) context.warn(warning);
  const { data, message } = await local.create();
  context.note(message);
  const { environments } = data;
  printLines(context, { json: { data: local.name, environments }, lines: pasteLines(undefined, environments[0]) });
}
