import { type Command, InvalidArgumentError, Option } from "commander";
import { splitNames } from "../../model/name-matcher.js";
import { isReservedName } from "../../model/reserved-names.js";
import { isVariableName } from "../../model/variable.js";
import { NAME_STYLES } from "../../tasks/selection/selection-options.js";

/** Adds the flags that parse to `SelectionOptions`. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option(
      "--only <names>",
      "only these variables: names and globs such as DB_*, separated by commas",
      parseNames,
    )
    .option(
      "--exclude <names>",
      "not these variables: names and globs, separated by commas",
      parseNames,
    )
    .addOption(
      new Option(
        "--name-transformer <style>",
        "change each name; tf-var is TF_VAR_ and the name in lower case",
      ).choices(NAME_STYLES),
    );
}

/** Adds `--strict`, for `createStrictCheck`. @param effect that the flag prevents */
export function addStrict(command: Command, effect: string): Command {
  return command
    .option(
      "--strict",
      `${effect} if one of the variables has no value, or one that breaks its schema (see check)`,
    )
    .option("--no-strict", "don't check, even if .appvars.json says so");
}

/** Adds `--allow-reserved`, which parses to a list of names. */
export function addAllowReserved(command: Command, effect: string): Command {
  return command.option(
    "--allow-reserved <names>",
    `${effect} these reserved names, separated by commas`,
    parseReserved,
  );
}

/**
 * A name that is not reserved is a typing mistake, or the command after a flag whose value is
 * missing.
 */
function parseReserved(text: string, previous?: readonly string[]): string[] {
  const names = parseNames(text, previous);
  const other = names.find((name) => !isVariableName(name) || !isReservedName(name));
  if (other === undefined) return names;
  throw new InvalidArgumentError(
    `"${other}" is not a reserved name. It must be reserved names separated by commas.`,
  );
}

/** Splits as {@link splitNames} does; repeated flags add to the list. */
export function parseNames(text: string, previous: readonly string[] = []): string[] {
  const names = splitNames(text);
  if (names.includes(""))
    throw new InvalidArgumentError("It must be names separated by commas or spaces.");
  return [...previous, ...names];
}
