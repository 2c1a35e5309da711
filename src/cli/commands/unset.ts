import { Command } from "commander";
import { type EnvironmentChoice, editEnvironments } from "../../tasks/data/open-data.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import type { SourceFlags } from "../../tasks/settings/setting-table.js";
import { addDryRun, addEnvironmentsOptions } from "../arguments/source-flags.js";
import { type Context, printLines } from "../output/context.js";

export function unsetCommand(context: Context): Command {
  const command = new Command("unset")
    .description(
      "Remove the values of variables from an environment of a data file or a store, or from several: all or none. A " +
        "variable that has no value in any environment after that is removed too. --env can be repeated.",
    )
    .argument("<name...>", "names of variables")
    .addHelpText("after", "\nExample:\n  appvars unset DEBUG --data vars.json --env production")
    .action((names: string[], flags) => runUnset(names, flags, context));
  return addEnvironmentsOptions(addDryRun(command));
}

async function runUnset(
  names: string[],
  flags: SourceFlags & EnvironmentChoice,
  context: Context,
): Promise<void> {
  const { unsetValues } = await import("../../store/edits/edit-values.js");
  const choice = { ...flags, names };
  const edited = await editEnvironments(
    readSettings(flags, context),
    context,
    choice,
    (data, environments) => unsetValues(data, environments, names),
  );
  if (!edited) return;
  const rows = edited.map(({ application, name }) => ({ application, environment: name, names }));
  printLines(context, { json: flags.allEnvs || rows.length > 1 ? rows : rows[0], lines: [] });
  context.tell(`unset ${names.join(", ")}`);
}
