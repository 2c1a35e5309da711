import { type Argument, type Command, Help, type Option } from "commander";

/**
 * The offers of completion for a value:
 *
 * - `files`: files and folders
 * - `names`: variables of the source that the words before select; `name-list`: several, separated by commas
 * - `reserved-name-list`: those with reserved names
 * - `file-names`: variables of the data file, for a command that does not use a server
 * - `environments`: environments of the data file
 * - `profiles`: the user's profiles
 * - `program`: another program, and then the shell's offers for that
 */
type ValueKind =
  | "files"
  | "names"
  | "name-list"
  | "reserved-name-list"
  | "file-names"
  | "environments"
  | "profiles"
  | "program";

export interface Offer {
  word: string;
  description: string;
}

export interface Offers {
  subcommands: Offer[];
  flags: Offer[];
  kinds: readonly ValueKind[];
  choices: readonly string[];
}

/**
 * The offers at each place of a command line, by key:
 *
 * - `appvars env rotate`: a command, with its subcommands and flags
 * - `appvars export --format`: a flag with a value, once for each spelling
 * - `appvars show 1`: an argument by its position; `appvars get ...`: a variadic argument
 */
export type CommandTable = ReadonlyMap<string, Offers>;

/** The table of a whole command line, from the same data as its help. */
export function describeCommands(program: Command): CommandTable {
  return new Map(tableEntries(program, program.name()));
}

type TableEntry = readonly [key: string, offers: Offers];

const NOTHING: Offers = { subcommands: [], flags: [], kinds: [], choices: [] };

function tableEntries(command: Command, key: string): TableEntry[] {
  // With the flags that the help of a command leaves out.
  const help = Object.assign(new Help(), { showGlobalOptions: true });
  const subcommands = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const offers = {
    ...NOTHING,
    subcommands: subcommands.map((each) => ({
      word: each.name(),
      description: each.summary() || each.description(),
    })),
    flags: options.flatMap((option) =>
      spellings(option).map((word) => ({ word, description: option.description })),
    ),
  };
  return [
    [key, offers],
    ...options.flatMap((option) => valueEntries(option, command, key)),
    ...argumentEntries(command, key),
    ...subcommands.flatMap((subcommand) => {
      const path = `${key} ${subcommand.name()}`;
      return command.commands.includes(subcommand)
        ? tableEntries(subcommand, path)
        : helpEntries(path, offers);
    }),
  ];
}

/** commander adds the command `help` itself; its argument is the name of another command. */
function helpEntries(key: string, { subcommands }: Offers): TableEntry[] {
  const choices = subcommands.map(({ word }) => word).filter((word) => word !== "help");
  return [
    [key, NOTHING],
    [`${key} 1`, { ...NOTHING, choices }],
  ];
}

/** Optional values are left out: the word after such a flag is something else. */
function valueEntries(option: Option, command: Command, key: string): TableEntry[] {
  if (!option.required) return [];
  const offers = {
    ...NOTHING,
    kinds: kindsOfOption(option, command),
    choices: option.argChoices ?? [],
  };
  return spellings(option).map((flag) => [`${key} ${flag}`, offers]);
}

function argumentEntries(command: Command, key: string): TableEntry[] {
  return command.registeredArguments.map((argument, index) => [
    `${key} ${argument.variadic ? "..." : index + 1}`,
    { ...NOTHING, kinds: kindsOfArgument(argument, command), choices: argument.argChoices ?? [] },
  ]);
}

function spellings({ long, short }: Option): string[] {
  return [long, short].filter((spelling) => spelling !== undefined);
}

/**
 * By the placeholder of a flag or argument, the word in its brackets. A placeholder that is not
 * here is free text.
 */
const BY_PLACEHOLDER: Readonly<Record<string, readonly ValueKind[]>> = {
  file: ["files"],
  folder: ["files"],
  environment: ["environments"],
  profile: ["profiles"],
  names: ["name-list"],
  command: ["program"],
  cmd: ["program"],
  // The sides of `diff`: an environment, a file with one of its environments, or a URL.
  a: ["environments", "files"],
  b: ["environments", "files"],
  // Those of `migrate`: a data file or a URL.
  from: ["files"],
  to: ["files"],
};

/**
 * By the name of the flag, or for `<name>` of the parent command: `--env <name>`, `env remove
 * <name>`.
 */
const BY_SUBJECT: Readonly<Record<string, readonly ValueKind[]>> = {
  env: ["environments"],
  profile: ["profiles"],
  only: ["name-list"],
  allowReserved: ["reserved-name-list"],
};

function kindsOfOption(option: Option, command: Command): readonly ValueKind[] {
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "";
  return BY_SUBJECT[option.attributeName()] ?? kindsOf(placeholder, command);
}

function kindsOfArgument(argument: Argument, command: Command): readonly ValueKind[] {
  if (argument.name() !== "name") return kindsOf(argument.name(), command);
  // An added profile or environment has a new name.
  if (command.name() === "add") return [];
  return BY_SUBJECT[command.parent?.name() ?? ""] ?? kindsOf("name", command);
}

function kindsOf(placeholder: string, command: Command): readonly ValueKind[] {
  if (placeholder !== "name") return BY_PLACEHOLDER[placeholder] ?? [];
  return [command.options.some((option) => option.long === "--url") ? "names" : "file-names"];
}
