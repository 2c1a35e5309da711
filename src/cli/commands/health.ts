import { readSettings, Settings } from "../../tasks/settings/resolve-settings.js";
import { openSource, withSource } from "../../tasks/sources/open-source.js";
import { defineCommand } from "../arguments/command.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { print } from "../output/context.js";

export const definition = defineCommand({
  description: `Print the server's health. Exits with 7 if it is not healthy.
    Needs no credentials.`,
  flags: SOURCE_FLAGS,
  examples: ["until appvars health --max-wait 0; do sleep 1; done"],
  async run(_, flags, context) {
    const { given } = readSettings(flags, context);
    // Only a flag names other data than the server's: a variable or a file names it for other
    // commands.
    const ofServer = given.filter(
      ({ name, origin }) => origin === "flag" || (name !== "data" && name !== "store"),
    );
    const opening = openSource(new Settings(ofServer, context), context, { anonymous: true });
    const health = await withSource(opening, (source) => source.getHealth());
    const { message, uptime, date, data_age: age } = health;
    const ofData = age === undefined ? [] : [`data ${age} s old`];
    await print(context, { json: health, rows: [[message, `up ${uptime} s`, date, ...ofData]] });
  },
});
