import { UsageError } from "../../../kit/text/errors.js";
import { valueText } from "../../../model/variable.js";
import { readValues } from "../../../tasks/sources/open-source.js";
import { defineCommand } from "../../arguments/command.js";
import { CACHE_FLAGS, SOURCE_FLAGS } from "../../arguments/source-flags.js";
import { printRaw } from "../../output/output.js";

export const definition = defineCommand({
  description: `Print values, one per line, in the given order:
    strings unchanged, including control characters, everything
    else as compact JSON.`,
  arguments: { "<name...>": "names of variables" },
  flags: {
    "-n, --no-newline": "omit the last newline",
    "-0, --null": {
      help: "end each value with a NUL instead of a newline, for values of several lines",
      conflicts: ["newline"],
    },
    ...CACHE_FLAGS,
    ...SOURCE_FLAGS,
  },
  examples: [
    'DATABASE_URL="$(appvars get DATABASE_URL)"',
    "appvars get --cache=12h PORT",
    "mapfile -d '' -t values < <(appvars get -0 TLS_CERT TLS_KEY)",
  ],
  /**
   * Prints the values, all or none: stdout stays empty unless every name has a
   * value.
   */
  async run({ name: names }, flags, context) {
    const { newline = true, null: endsWithNul = false } = flags;
    if (endsWithNul && context.flags.json)
      throw new UsageError("option '-0, --null' cannot be used with option '--json'");
    const values = await readValues(names, await context.settings(flags), context, flags);
    const json = context.flags.json
      ? Object.fromEntries(names.map((name, index) => [name, values[index]]))
      : undefined;
    const texts = values.map(valueText);
    if (endsWithNul) refuseNul(names, texts);
    const end = endsWithNul ? "\0" : "\n";
    printRaw(context, { json, text: texts.join(end) + (newline ? end : "") });
  },
});

function refuseNul(names: readonly string[], texts: readonly string[]): void {
  const holders = names.filter((_name, index) => texts[index]?.includes("\0"));
  if (holders.length > 0)
    throw new UsageError(
      `with --null, no value may contain a NUL character: ${holders.join(", ")}`,
    );
}
