import type { Command, CommanderError } from "commander";
import { UsageError } from "../kit/text/errors.js";
import { SETTING_NAMES, SETTINGS } from "../tasks/settings/setting-table.js";

/** An error of commander with advice, if there is any. */
export function withHint(error: CommanderError, command: Command): Error {
  const message = error.message.replace(/^error: /, "");
  if (error.code === "commander.missingArgument")
    return new UsageError(`${message}; ${firstExample(command)}`);
  if (error.code === "commander.unknownOption")
    return new UsageError(describeUnknownFlag(message, command));
  return error;
}

/** The first line of the examples in its help. */
function firstExample(command: Command): string {
  let help = "";
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  // Not one that continues on the next line.
  const [, example] = /\nExamples?:\n {2}(.*[^\\])\n/.exec(help) ?? [];
  return example === undefined ? "see --help" : `for example: ${example}`;
}

/** The flags of other programs, by the command, with advice. */
const MEANT: Readonly<Record<string, string>> = {
  "run --interval": "did you mean --watch=TIME?",
  "import --from": "docs/recipes.md shows how to move from another tool",
};

/** Without a possible secret: the value after `=`, or a value that was taken for a flag. */
function describeUnknownFlag(message: string, command: Command): string {
  const [, text = "", similar] =
    /^unknown option '(.*?)'(?:\n\(Did you mean ([^']*)\?\))?$/s.exec(message) ?? [];
  const [flag = ""] = text.split("=", 1);
  const meant = MEANT[`${command.name()} ${flag}`];
  if (meant !== undefined) return `unknown option '${flag}' (${meant})`;
  const file = SETTING_NAMES.find(
    (name) => SETTINGS[name].flag === `${flag}-file` && isKnown(`${flag}-file`, command),
  );
  const secret = file && SETTINGS[file].insteadOf;
  if (secret !== undefined) {
    const { variable } = SETTINGS[secret];
    return `there is no ${flag}, since the process list would show it: set ${variable}, or name a file with ${flag}-file`;
  }
  if (text !== flag && isKnown(flag, command)) return `${flag} takes no value`;
  // For `set`, it may be a value: only a word like an option is repeated.
  const isOption =
    /^(?:-[a-z]|--[a-z]+(?:-[a-z]+)*)$/i.test(flag) &&
    (similar !== undefined || command.name() !== "set");
  const shown = isOption ? `unknown option '${flag}'` : "unknown option";
  if (similar !== undefined) return `${shown} (did you mean ${similar}?)`;
  return command.name() === "set"
    ? `${shown}; a value that begins with - comes after --: appvars set NAME -- VALUE`
    : shown;
}

function isKnown(flag: string, command: Command | null): boolean {
  return (
    command !== null &&
    (command.options.some(({ long }) => long === flag) || isKnown(flag, command.parent))
  );
}
