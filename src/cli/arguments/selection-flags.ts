import { splitNames } from "../../model/name-matcher.js";
import { isReservedName } from "../../model/reserved-names.js";
import { isVariableName } from "../../model/variable.js";
import { NAME_STYLES } from "../../tasks/selection/selection-options.js";
import type { Flag } from "./command.js";
import { ArgumentError } from "./parse-line.js";

export const ONLY = {
  "--only <names>": {
    help: "only these variables: names and globs such as DB_*, separated by commas",
    parse: parseNames,
    repeatable: true,
  },
} as const;

/** The values of these flags are `SelectionOptions`. */
export const SELECTION_FLAGS = {
  ...ONLY,
  "--exclude <names>": {
    help: "not these variables: names and globs, separated by commas",
    parse: parseNames,
    repeatable: true,
  },
  "--name-transformer <style>": {
    help: "change each name; tf-var is TF_VAR_ and the name in lower case",
    choices: NAME_STYLES,
  },
} as const;

/** The flags for `createStrictCheck`. @param effect that `--strict` prevents */
export function strictFlags(effect: string) {
  return {
    "--strict": `${effect} if one of the variables has no value, or one that breaks its schema (see check)`,
    "--no-strict": "don't check, even if .appvars.json says so",
  } as const;
}

export function allowReserved(effect: string) {
  return {
    "--allow-reserved <names>": {
      help: `${effect} these reserved names, separated by commas`,
      parse: parseReserved,
      repeatable: true,
    },
  } as const satisfies Record<string, Flag>;
}

/** Refuses mistyped names, and the command after a flag without its value. */
function parseReserved(text: string): string[] {
  const names = parseNames(text);
  const other = names.find((name) => !isVariableName(name) || !isReservedName(name));
  if (other === undefined) return names;
  throw new ArgumentError(
    `"${other}" is not a reserved name. Separate reserved names with commas.`,
  );
}

/** Splits as {@link splitNames} does. */
export function parseNames(text: string): string[] {
  const names = splitNames(text);
  if (names.includes(""))
    throw new ArgumentError("It must be names separated by commas or spaces.");
  return names;
}
