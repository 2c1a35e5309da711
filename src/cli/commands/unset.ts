import { Command } from "commander";
import { editEnvironment } from "../editing/open-data.js";
import { type Context, printLines } from "../output/context.js";
import { readSettings, type Settings } from "../settings/resolve-settings.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { addDataOptions } from "../settings/source-flags.js";

export function unsetCommand(context: Context): Command {
  const command = new Command("unset")
    .description(
      "Remove the values of variables from one environment of a data file or a store: all or none. A variable that has no " +
        "value in any environment after that is removed too.",
    )
    .argument("<name...>", "names of variables")
    .addHelpText("after", "\nExample:\n  appvars unset DEBUG --data vars.json --env production")
    .action((names: string[], flags: SourceFlags) => runUnset(names, readSettings(flags, context.io), context));
  return addDataOptions(command);
}

async function runUnset(names: string[], settings: Settings, context: Context): Promise<void> {
  const { unsetValues } = await import("../../store/edit-values.js");
  const edited = await editEnvironment(settings, context, (data, environment) => unsetValues(data, environment, names));
  const json = { application: edited.application, environment: edited.name, names };
  printLines(context, { json, lines: [] });
  context.tell(`unset ${names.join(", ")}`);
}
