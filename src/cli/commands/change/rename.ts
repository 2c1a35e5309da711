import { createMatcher, splitNames } from "../../../model/name-matcher.js";
import { chooseApplication } from "../../../tasks/data/choose-environments.js";
import { updateData } from "../../../tasks/data/open-data.js";
import { dataLocationOf } from "../../../tasks/settings/connection.js";
import { defineCommand } from "../../arguments/command.js";
import { APPLICATION, CHANGE_FLAGS, LOCATION_FLAGS } from "../../arguments/data-flags.js";
import { printLines } from "../../output/output.js";

export const definition = defineCommand({
  description: `Rename a variable of a data file or a store in
    all environments of its application. Keeps its values,
    encrypted ones too. Programs that use the former name no
    longer find it.`,
  arguments: {
    "<name>": "name of the variable",
    "<new>": "its new name",
  },
  flags: { ...APPLICATION, ...CHANGE_FLAGS, ...LOCATION_FLAGS },
  examples: ["appvars rename DB_URL DATABASE_URL --data vars.json --dry-run"],
  async run({ name, new: newName }, flags, context) {
    const { renameVariable } = await import("../../../store/edits/edit-values.js");
    const settings = await context.settings(flags);
    let application = "";
    const changed = await updateData(dataLocationOf(settings), context, (data) => {
      application = chooseApplication(data, { ...flags, names: [name] });
      return renameVariable(data, application, name, newName);
    });
    for (const { text, from } of settings.findAll("only")) {
      const { matches } = createMatcher(splitNames(text));
      if (matches(name) && !matches(newName))
        context.warn(`${from} selects ${name}, but not ${newName}: change it there`);
    }
    if (!changed) return;
    printLines(context, { json: { application, name, new_name: newName } });
    context.tell(`renamed ${name} to ${newName}`);
  },
});
