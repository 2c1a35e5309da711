import type { Argument, Command, Option } from "commander";

/**
 * What completion offers for a value:
 *
 * - `files`: files and folders
 * - `names`: variables of the source that the words before name
 * - `file-names`: variables of the data file, for a command that knows no server
 * - `name-list`: the same as `names`, several with commas between them
 * - `environments`: environments of the data file
 * - `profiles`: the user's profiles
 * - `program`: another program, and after it whatever that takes
 */
export type ValueKind = "files" | "names" | "file-names" | "name-list" | "environments" | "profiles" | "program";

/**
 * The convention: the word between the brackets of a flag or an argument says what it takes. `<name>` is a special
 * case. For a flag it is what the flag is called after, as in `--env <name>`; for an argument, what the command above
 * is about, as in `env remove <name>`; in all other places a variable. A word that is not here is free text.
 */
const KINDS: Readonly<Record<string, readonly ValueKind[]>> = {
  file: ["files"],
  folder: ["files"],
  environment: ["environments"],
  profile: ["profiles"],
  names: ["name-list"],
  command: ["program"],
  cmd: ["program"],
  // The sides of `diff`: an environment, a file and an environment of it, a URL.
  a: ["environments", "files"],
  b: ["environments", "files"],
};

/** What `<name>` names, by the flag's own name or that of the command above. */
const NAMED: Readonly<Record<string, readonly ValueKind[]>> = {
  env: ["environments"],
  profile: ["profiles"],
  only: ["name-list"],
};

/** What is taken by a flag with a value. */
export function kindsOfOption(option: Option, command: Command): readonly ValueKind[] {
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "";
  return NAMED[option.attributeName()] ?? kindsOf(placeholder, command);
}

/** What is taken by an argument. */
export function kindsOfArgument(argument: Argument, command: Command): readonly ValueKind[] {
  // What is added has a name that there is not yet.
  if (argument.name() === "name" && command.name() === "add") return [];
  const subject = command.parent?.name() ?? "";
  return (argument.name() === "name" && NAMED[subject]) || kindsOf(argument.name(), command);
}

function kindsOf(placeholder: string, command: Command): readonly ValueKind[] {
  if (placeholder !== "name") return KINDS[placeholder] ?? [];
  return [command.options.some((option) => option.long === "--url") ? "names" : "file-names"];
}
