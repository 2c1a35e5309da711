import type { Command, Option } from "commander";
import { kindsOfArgument, kindsOfOption, type ValueKind } from "./value-kind.js";

/** A word that completion offers, and what it is for. */
export interface Offer {
  word: string;
  description: string;
}

/** What completion has to offer in one place of a command line. */
export interface Offers {
  subcommands: Offer[];
  flags: Offer[];
  /** Of a value, where it is known what that may be. */
  kinds: readonly ValueKind[];
  choices: readonly string[];
}

/**
 * What there is to offer in each place of a command line, under keys made of words:
 *
 * - `appvars env rotate`: a command, with its subcommands and flags
 * - `appvars export --format`: a flag that takes a value, under each of its spellings
 * - `appvars show 1`: an argument, by its position; `appvars get ...` all those after the ones with a position
 */
export type CommandTable = ReadonlyMap<string, Offers>;

/** Makes the table of a whole command line from what commander knows of it, which is also what its help prints. */
export function describeCommands(program: Command): CommandTable {
  return new Map(entriesOf(program, program.name()));
}

type Entry = readonly [key: string, offers: Offers];

const NOTHING: Offers = { subcommands: [], flags: [], kinds: [], choices: [] };

function entriesOf(command: Command, key: string): Entry[] {
  const subcommands = command.createHelp().visibleCommands(command);
  const options = optionsOf(command);
  const offers = { ...NOTHING, subcommands: subcommands.map(offerOfCommand), flags: options.flatMap(offersOfOption) };
  return [
    [key, offers],
    ...options.flatMap((option) => valueEntries(option, command, key)),
    ...argumentEntries(command, key),
    ...subcommands.flatMap((subcommand) => {
      const path = `${key} ${subcommand.name()}`;
      return command.commands.includes(subcommand) ? entriesOf(subcommand, path) : helpEntries(path, offers);
    }),
  ];
}

/** The command `help`, which commander adds itself, takes the names of its neighbours. */
function helpEntries(key: string, { subcommands }: Offers): Entry[] {
  return [
    [key, NOTHING],
    [`${key} 1`, { ...NOTHING, choices: subcommands.map(({ word }) => word).filter((word) => word !== "help") }],
  ];
}

function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function offerOfCommand(command: Command): Offer {
  return { word: command.name(), description: command.summary() || command.description() };
}

function offersOfOption(option: Option): Offer[] {
  return spellings(option).map((word) => ({ word, description: option.description }));
}

/** A value that may be left out is not one: whatever follows the flag is something else. */
function valueEntries(option: Option, command: Command, key: string): Entry[] {
  if (!option.required) return [];
  const kinds = kindsOfOption(option, command);
  const offers = { ...NOTHING, kinds, choices: option.argChoices ?? [] };
  return spellings(option).map((flag) => [`${key} ${flag}`, offers]);
}

function argumentEntries(command: Command, key: string): Entry[] {
  return command.registeredArguments.map((argument, index) => [
    `${key} ${argument.variadic ? "..." : index + 1}`,
    { ...NOTHING, kinds: kindsOfArgument(argument, command), choices: argument.argChoices ?? [] },
  ]);
}

function spellings({ long, short }: Option): string[] {
  return [long, short].filter((spelling) => spelling !== undefined);
}
