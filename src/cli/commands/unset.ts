import { Command } from "commander";
import type { Context } from "../context.js";
import { editEnvironment } from "../editing.js";
import type { SourceFlags } from "../settings.js";
import { addDataOptions } from "../source-options.js";

export function unsetCommand(context: Context): Command {
  const command = new Command("unset")
    .summary("remove values from a data file")
    .description(
      "Remove the values of variables from one environment of a data file, all of them or none. A variable that has " +
        "no value in any environment is then removed too.",
    )
    .argument("<name...>", "names of variables")
    .addHelpText("after", "\nExample:\n  appvars unset DEBUG --data vars.json --env production")
    .action((names: string[], flags: SourceFlags) => runUnset(names, flags, context));
  return addDataOptions(command);
}

/** @throws NotFoundError when one of them has no value; InvalidDataError, UsageError */
export async function runUnset(names: string[], flags: SourceFlags, context: Context): Promise<void> {
  const { unsetValues } = await import("../../store/edit-values.js");
  await editEnvironment(flags, context.io, (data, environment) => unsetValues(data, environment, names));
  context.tell(`unset ${names.join(", ")}`);
}
