import { updateEnvironments } from "../../../tasks/data/open-data.js";
import { defineCommand } from "../../arguments/command.js";
import { CHANGE_FLAGS, ENVIRONMENTS_FLAGS } from "../../arguments/data-flags.js";
import { printLines } from "../../output/output.js";

export const definition = defineCommand({
  description: `Remove the values of variables from one or
    several environments of a data file or a store: all or none.
    Also removes variables that have no value left in any
    environment. --env can be repeated.`,
  arguments: { "<name...>": "names of variables" },
  flags: { ...CHANGE_FLAGS, ...ENVIRONMENTS_FLAGS },
  examples: ["appvars unset DEBUG --data vars.json --env production"],
  async run({ name: names }, flags, context) {
    const { unsetValues } = await import("../../../store/edits/edit-values.js");
    const settings = await context.settings(flags);
    const choice = { ...flags, names };
    const edited = await updateEnvironments(settings, context, choice, (data, environments) =>
      unsetValues(data, environments, names),
    );
    if (!edited) return;
    const rows = edited.map(({ application, name }) => ({
      application,
      environment: name,
      names,
    }));
    printLines(context, { json: flags.allEnvs || rows.length > 1 ? rows : rows[0] });
    context.tell(`unset ${names.join(", ")}`);
  },
});
