import {
  type ArgumentRow,
  argumentRows,
  type Command,
  describeCommand,
  type FlagRow,
  flagRows,
  HELP_FLAG,
  OUTPUT_FLAGS,
} from "../arguments/command.js";

/**
 * The offers of completion for a value:
 *
 * - `files`: files and folders
 * - `names`: variables of the source that the words before select; `name-list`:
 *   several, separated by commas
 * - `file-names`: variables of the data file, for a command that does not use a
 *   server
 * - `environments`: environments of the data file
 * - `profiles`: the user's profiles
 * - `program`: another program, and then the shell's offers for that
 */
type ValueKind =
  | "files"
  | "names"
  | "name-list"
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
 * - `appvars show 1`: an argument by its position; `appvars get ...`: a
 *   variadic argument
 */
export type CommandTable = ReadonlyMap<string, Offers>;

export function describeCommands(all: Command): CommandTable {
  return new Map(tableEntries(all, ["appvars"]));
}

type TableEntry = readonly [key: string, offers: Offers];

const NOTHING: Offers = { subcommands: [], flags: [], kinds: [], choices: [] };

const HELP_COMMAND = { word: "help", description: "print help for a command" };

function tableEntries(command: Command, path: readonly string[]): TableEntry[] {
  const key = path.join(" ");
  const rows = [...flagRows({ ...command.flags, ...HELP_FLAG, ...OUTPUT_FLAGS })].filter(
    ([, { refused }]) => refused === undefined,
  );
  const children = Object.entries(command.commands ?? {});
  const subcommands = children.map(([word, child]) => ({
    word,
    description: describeCommand(child).summary,
  }));
  const flags = rows.map(([word, { help }]) => ({ word, description: help }));
  const names = subcommands.map(({ word }) => word);
  if (children.length > 0) subcommands.push(HELP_COMMAND);
  return [
    [key, { ...NOTHING, subcommands, flags }],
    ...rows.flatMap(([flag, row]) => valueEntries(`${key} ${flag}`, row, command)),
    ...argumentRows(command).map((row, index): TableEntry => {
      const offers = { ...NOTHING, kinds: kindsOfArgument(row, command, path) };
      const position = row.isVariadic ? "..." : index + 1;
      return [`${key} ${position}`, { ...offers, choices: row.choices ?? [] }];
    }),
    ...children.flatMap(([word, child]) => tableEntries(child, [...path, word])),
    ...(children.length > 0 ? helpEntries(key, names) : []),
  ];
}

function helpEntries(key: string, choices: readonly string[]): TableEntry[] {
  return [
    [`${key} help`, NOTHING],
    [`${key} help 1`, { ...NOTHING, choices }],
  ];
}

/** Leaves out optional values: the next word is something else. */
function valueEntries(key: string, row: FlagRow, command: Command): TableEntry[] {
  if (row.placeholder === undefined || row.preset !== undefined) return [];
  const kinds =
    BY_SUBJECT[row.name] ?? kindsOf(/^[\w-]*/.exec(row.placeholder)?.[0] ?? "", command);
  return [[key, { ...NOTHING, kinds, choices: row.choices ?? [] }]];
}

/**
 * The offers for the word in the brackets of a flag or argument; any other word
 * is free text.
 */
const BY_PLACEHOLDER: Readonly<Record<string, readonly ValueKind[]>> = {
  file: ["files"],
  environment: ["environments"],
  profile: ["profiles"],
  names: ["name-list"],
  command: ["program"],
  // The sides of `diff`: an environment, a file with one of its environments,
  // or a URL.
  a: ["environments", "files"],
  b: ["environments", "files"],
  // The arguments of `migrate`: a data file or a URL.
  from: ["files"],
  to: ["files"],
};

/**
 * The offers for a flag, or for `<name>` of the parent command: `--env <name>`,
 * `env remove <name>`.
 */
const BY_SUBJECT: Readonly<Record<string, readonly ValueKind[]>> = {
  env: ["environments"],
  profile: ["profiles"],
  only: ["name-list"],
};

function kindsOfArgument(
  { name }: ArgumentRow,
  command: Command,
  path: readonly string[],
): readonly ValueKind[] {
  if (name !== "name") return kindsOf(name, command);
  const [parent = "", own] = path.slice(-2);
  // An added profile or environment has a new name.
  return own === "add" ? [] : (BY_SUBJECT[parent] ?? kindsOf(name, command));
}

function kindsOf(placeholder: string, { flags = {} }: Command): readonly ValueKind[] {
  if (placeholder !== "name") return BY_PLACEHOLDER[placeholder] ?? [];
  return ["--url <url>" in flags ? "names" : "file-names"];
}
