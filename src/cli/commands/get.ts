import { UsageError } from "../../kit/text/errors.js";
import { defineCommand } from "../arguments/command.js";
import { CACHE_FLAGS, SOURCE_FLAGS } from "../arguments/source-flags.js";
import { runGet } from "./run-get.js";

export const definition = defineCommand({
  description:
    "Print values, one per line, in the given order: strings unchanged, including control characters, everything else as " +
    "compact JSON.",
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
  run({ name: names }, flags, context) {
    const { newline = true, null: endsWithNul = false, cache, offline } = flags;
    if (endsWithNul && context.flags.json)
      throw new UsageError("option '-0, --null' cannot be used with option '--json'");
    return runGet({ names, newline, null: endsWithNul, cache, offline }, flags, context);
  },
});
