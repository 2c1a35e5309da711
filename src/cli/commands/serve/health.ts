import { Settings } from "../../../tasks/settings/resolve-settings.js";
import { openSource, withSource } from "../../../tasks/sources/open-source.js";
import { defineCommand } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import { print } from "../../output/output.js";

export const definition = defineCommand({
  description: `Print the server's health. Exits with 7 if it is
    not healthy. Needs no credentials.`,
  flags: SOURCE_FLAGS,
  examples: ["until appvars health --max-wait 0; do sleep 1; done"],
  async run(_, flags, context) {
    const { given } = await context.settings(flags);
    // Only a flag can name local data: a variable or a file names it for other
    // commands.
    const settings = given.filter(
      ({ name, origin }) => origin === "flag" || (name !== "data" && name !== "store"),
    );
    const opening = openSource(new Settings(settings, context), context, { anonymous: true });
    const json = await withSource(opening, (source) => source.getHealth());
    const row = [json.message, `up ${json.uptime} s`, json.date];
    if (json.data_age !== undefined) row.push(`data ${json.data_age} s old`);
    await print(context, { json, rows: [row] });
  },
});
