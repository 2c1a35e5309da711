import { Command } from "commander";
import type { Context } from "../output/context.js";
import { printLines } from "../output/printer.js";
import { pasteLines } from "../serving/credentials.js";
import type { DataPlace } from "../settings/data-place.js";
import { addPlaceOptions } from "../settings/flags.js";
import type { SourceFlags } from "../settings/layers.js";
import { readSettings } from "../settings/settings.js";

export function initCommand(context: Context): Command {
  const command = new Command("init")
    .summary("create a data file, or the data of a store")
    .description(
      "Create a data file, or the data of an empty store, with the environments development, test and production, each " +
        "with new random credentials, and a few example variables. Prints the lines that configure a shell for " +
        "development.",
    )
    .addHelpText("after", "\nExample:\n  appvars init --data vars.json")
    .action((flags: SourceFlags) => runInit(readSettings(flags, context.io).dataPlace, context));
  return addPlaceOptions(command);
}

async function runInit(place: DataPlace, context: Context): Promise<void> {
  const { localData } = await import("../sources/open-local.js");
  const local = await localData(place, context.io);
  const warning = local.check("change");
  if (warning) context.warn(warning);
  const { data, message } = await local.create();
  context.note(message);
  const { environments } = data;
  const json = { [place.kind === "file" ? "data" : "store"]: local.name, environments };
  printLines(context, { json, lines: pasteLines(undefined, environments[0], context.io) });
}
