import { Command } from "commander";
import type { Context } from "../context.js";
import { DEFAULT_DATA_FILE, dataPath } from "../data-path.js";
import { pasteLines } from "../paste-lines.js";

export function initCommand(context: Context): Command {
  return new Command("init")
    .summary("make a data file")
    .description(
      "Make a data file with the environments development, test and production, each with fresh random " +
        "credentials, and a few example variables. Prints the lines that point a shell at development.",
    )
    .option("--data <file>", `where (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`)
    .addHelpText("after", "\nExample:\n  appvars init --data vars.json")
    .action(({ data }) => runInit(dataPath({ data }, context.io), context));
}

/** @throws InvalidDataError when there is such a file already, or it can't be written */
export async function runInit(path: string, context: Context): Promise<void> {
  const { createDataFile } = await import("../../store/json-file-store.js");
  const { starterData } = await import("../../store/starter-data.js");
  const data = starterData();
  await createDataFile(path, data);
  if (context.flags.json) return context.printJson({ data: path, environments: data.environments });
  context.note(`made ${path}, readable by you alone; the credentials of all its environments are in it`);
  context.print(pasteLines(undefined, data.environments[0]));
}
