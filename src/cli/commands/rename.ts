import { Command } from "commander";
import { createMatcher, splitNames } from "../../model/name-matcher.js";
import {
  chooseApplication,
  type EnvironmentChoice,
  updateData,
} from "../../tasks/data/open-data.js";
import { named, readSettings } from "../../tasks/settings/resolve-settings.js";
import type { SourceFlags } from "../../tasks/settings/setting-table.js";
import { APPLICATION, addDryRun, addPlaceOptions } from "../arguments/source-flags.js";
import { type Context, printLines } from "../output/context.js";

export function renameCommand(context: Context): Command {
  const command = new Command("rename")
    .description(
      "Rename a variable of a data file or a store in all environments of its application. Its values stay as they are, " +
        "encrypted ones too. Programs that read it by its former name don't find it any more.",
    )
    .argument("<name>", "name of the variable")
    .argument("<new>", "its new name")
    .option(...APPLICATION)
    .addHelpText(
      "after",
      "\nExample:\n  appvars rename DB_URL DATABASE_URL --data vars.json --dry-run",
    )
    .action((name: string, newName: string, flags) => runRename(name, newName, flags, context));
  return addPlaceOptions(addDryRun(command));
}

async function runRename(
  name: string,
  newName: string,
  flags: SourceFlags & Pick<EnvironmentChoice, "application">,
  context: Context,
): Promise<void> {
  const { renameVariable } = await import("../../store/edits/edit-values.js");
  const { application } = flags;
  const settings = readSettings(flags, context);
  let renamed = { application: "", name, new_name: newName };
  const changed = await updateData(settings.dataPlace, context, (data) => {
    renamed = { ...renamed, application: chooseApplication(data, { application, names: [name] }) };
    return renameVariable(data, renamed.application, name, newName);
  });
  for (const { text, from } of named(settings.given, "only")) {
    const { matches } = createMatcher(splitNames(text));
    if (matches(name) && !matches(newName))
      context.warn(`${from} selects ${name}, but not ${newName}: change it there`);
  }
  if (!changed) return;
  printLines(context, { json: renamed, lines: [] });
  context.tell(`renamed ${name} to ${newName}`);
}
