import { Command } from "commander";
import type { Data } from "../../store/data.js";
import type { Context } from "../output/context.js";
import { printLines } from "../output/printer.js";
import { pasteLines } from "../serving/credentials.js";
import { DEFAULT_DATA_FILE } from "../settings/setting-names.js";
import { readSettings } from "../settings/settings.js";
import { refuseUnsafeFile } from "../sources/safe-files.js";

export function initCommand(context: Context): Command {
  return new Command("init")
    .summary("create a data file")
    .description(
      "Create a data file with the environments development, test and production, each with new random " +
        "credentials, and a few example variables. Prints the lines that configure a shell for development.",
    )
    .option("--data <file>", `where (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`)
    .addHelpText("after", "\nExample:\n  appvars init --data vars.json")
    .action(({ data }) => runInit(readSettings({ data }, context.io).dataPath, context));
}

async function runInit(path: string, context: Context): Promise<void> {
  const warning = refuseUnsafeFile(path, context.io);
  if (warning) context.warn(warning);
  const { environments } = await createStarterFile(path);
  context.note(createdMessage(path));
  printLines(context, { json: { data: path, environments }, lines: pasteLines(undefined, environments[0]) });
}

/** Creates a data file with example data and new credentials. @throws InvalidDataError if it exists or can't be written */
export async function createStarterFile(path: string): Promise<Data> {
  const { createDataFile } = await import("../../store/json-file-store.js");
  const { starterData } = await import("../../store/starter-data.js");
  const data = starterData();
  await createDataFile(path, data);
  return data;
}

export function createdMessage(path: string): string {
  return `created ${path}, readable only by you; it contains the credentials of all its environments`;
}
