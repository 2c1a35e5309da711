import type { CommanderError } from "commander";
import { UsageError } from "../kit/text/errors.js";
import { SETTING_NAMES, SETTINGS } from "../tasks/settings/setting-table.js";
import { flagRows, OUTPUT_FLAGS } from "./arguments/command.js";
import type { CommandCall } from "./command-registry.js";

/** An error of commander with advice, if there is any. */
export function withHint(error: CommanderError, call: CommandCall): Error {
  const message = error.message.replace(/^error: /, "");
  if (error.code === "commander.missingArgument") {
    const [example = ""] = call.command.examples;
    const advice = example.includes("\n") ? "see --help" : `for example: ${example}`;
    return new UsageError(`${message}; ${advice}`);
  }
  if (error.code === "commander.unknownOption")
    return new UsageError(describeUnknownFlag(message, call));
  return error;
}

/** The flags of other programs, by the command, with advice. */
const MEANT: Readonly<Record<string, string>> = {
  "run --interval": "did you mean --watch=TIME?",
  "import --from": "docs/recipes.md shows how to move from another tool",
};

/** Removes what may be a secret: a value after `=`, or taken for a flag. */
function describeUnknownFlag(message: string, { path, command }: CommandCall): string {
  const [, text = "", similar] =
    /^unknown option '(.*?)'(?:\n\(Did you mean ([^']*)\?\))?$/s.exec(message) ?? [];
  const [flag = ""] = text.split("=", 1);
  const isSet = path.at(-1) === "set";
  const isKnown = (name: string) => flagRows({ ...command.flags, ...OUTPUT_FLAGS }).has(name);
  const meant = MEANT[`${path.at(-1)} ${flag}`];
  if (meant !== undefined) return `unknown option '${flag}' (${meant})`;
  const file = SETTING_NAMES.find((name) => SETTINGS[name].flag === `${flag}-file`);
  const secret = file && SETTINGS[SETTINGS[file].group];
  if (secret?.kind === "secret" && isKnown(`${flag}-file`))
    return `there is no ${flag}, since the process list would show it: set ${secret.variable}, or name a file with ${flag}-file`;
  if (text !== flag && isKnown(flag)) return `${flag} takes no value`;
  // For `set`, it may be a value: only a word like an option is repeated.
  const isOption =
    /^(?:-[a-z]|--[a-z]+(?:-[a-z]+)*)$/i.test(flag) && (similar !== undefined || !isSet);
  const shown = isOption ? `unknown option '${flag}'` : "unknown option";
  if (similar !== undefined) return `${shown} (did you mean ${similar}?)`;
  return isSet
    ? `${shown}; a value that begins with - comes after --: appvars set NAME -- VALUE`
    : shown;
}
