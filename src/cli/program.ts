import { Command, CommanderError, Help, Option } from "commander";
import { packageFile } from "../kit/files/package-file.js";
import { UsageError } from "../kit/text/errors.js";
import { InlineOption } from "./arguments/flag-arguments.js";
import { CONNECTION, CONNECTION_GROUP, collect } from "./arguments/source-flags.js";
import { findUnknownCommand, GROUPS, NAMES } from "./known-commands.js";
import { type Context, createContext, type Io, type OutputFlags } from "./output/context.js";
import { writeLines } from "./output/output.js";
import { ownWords, reportError } from "./output/report-error.js";
import { packageVersion } from "./process-io.js";

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let words = argv;
  try {
    const { program, context, ...built } = await buildProgram(argv, io);
    words = built.words;
    await program.parseAsync(words, { from: "user" }).catch(async (error: unknown) => {
      if (!(error instanceof CommanderError) || error.exitCode === 0) throw error;
      const { withHint } = await import("./usage-hints.js");
      throw withHint(error, calledCommand(program, ownWords(words)));
    });
    return context.exitCode;
  } catch (error) {
    return await reportError(error, words, io);
  }
}

interface Built {
  program: Command;
  context: Context;
  /** The words to parse: `argv` with `--` before the words of another program. */
  words: string[];
}

/** The command line with all of its commands. */
export async function buildWhole(io: Io): Promise<Command> {
  return (await buildProgram([], io, NAMES)).program;
}

/**
 * Builds the command line for one call.
 *
 * @param loaded the commands with their code; by default the one that `argv` names, which then is
 *   the only one
 */
async function buildProgram(
  argv: readonly string[],
  io: Io,
  loaded?: readonly string[],
): Promise<Built> {
  const program = new Command("appvars")
    .description("Serve the variables of an application environment, and read them from scripts.")
    .option("-V, --version", "print the version (or -v)")
    .addOption(new Option("-v").hideHelp())
    .helpOption("-h, --help", "print help")
    .commandsGroup(Object.keys(GROUPS).at(-1) ?? "")
    .helpCommand("help [command]", "print help for a command")
    .option("--json", "machine-readable output, errors too")
    .option("-q, --quiet", "write no notes to stderr")
    .option("--verbose", "log each request to stderr")
    .option("--no-color", "no colors (like NO_COLOR; FORCE_COLOR forces them)")
    .configureHelp({ showGlobalOptions: true, visibleOptions: listedOptions })
    .addHelpText("after", "\nExample:\n  appvars serve")
    .exitOverride();
  const context = createContext(io, { color: true });
  program.hook("preAction", (_program, command) => {
    const { dryRun, values } = command.opts<OutputFlags>();
    context.flags = { ...program.opts<OutputFlags>(), dryRun, values };
    context.command = command.name();
    for (let above = command.parent; above?.parent; above = above.parent)
      context.command = `${above.name()} ${context.command}`;
  });
  // Streams are created when they are used: Node makes a pipe non-blocking, for `run --exec` too.
  program.configureOutput({
    writeOut: (text) => writeLines(io.stdout, linesOf(text)),
    writeErr: (text) => void (argv.includes("--json") || writeLines(io.stderr, linesOf(text))),
    outputError: () => {},
  });
  const [name = "", subject = ""] = argv.filter((word) => !word.startsWith("-"));
  const called = loaded ?? [name === "help" ? subject : name];
  // Not `version()`, for which every command would read package.json.
  const printVersion = () => {
    // Otherwise `set NAME -v` would end with 0, and set nothing.
    if (name !== "")
      throw new UsageError("the version is printed without a command: appvars --version");
    writeLines(io.stdout, [packageVersion()]);
    throw new CommanderError(0, "commander.version", "the version");
  };
  program.on("option:version", printVersion).on("option:v", printVersion);
  const isNamed = NAMES.includes(called[0] ?? "");
  for (const [heading, commands] of Object.entries(GROUPS)) {
    for (const [own, [args, summary, load]] of Object.entries(commands)) {
      const isLoaded = called.includes(own);
      if (!isLoaded && isNamed) continue;
      const command: Command = isLoaded
        ? Reflect.get(await load(), `${own}Command`)(context, packageFile, () => buildWhole(io))
        : new Command(`${own}${WITHOUT_FLAGS.includes(own) ? "" : " [options]"} ${args}`.trimEnd());
      inheritSettings(command, program);
      program.addCommand(command.summary(summary).helpGroup(heading));
    }
  }
  // commander would print help for `env lst --help` or `env help lst`, and exit with 0.
  const unknown = findUnknownCommand(argv, (path) =>
    calledCommand(program, path).commands.map((each) => each.name()),
  );
  if (unknown) throw unknown;
  const words = separateWords(argv, name, optionsOf(program));
  return { program, context, words };
}

/** The options of a command and of its subcommands. */
function optionsOf(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(optionsOf)];
}

/** The commands that take no flags themselves. */
const WITHOUT_FLAGS = ["env", "profile", "completion"];

/** The commands that start another program. */
const STARTERS = ["run", "sandbox"];

/**
 * Rewrites words that commander would read differently: `get -nq --cache A`, where -q is a flag of
 * `appvars`, becomes `get -n -q --cache=86400 A`, and `run --only A ls --json` becomes `run --only
 * A -- ls --json`, since --json is for ls.
 *
 * @param name of the called command
 * @param options those of `appvars` and of the command
 * @throws UsageError as `InlineOption`
 */
export function separateWords(
  argv: readonly string[],
  name: string,
  options: readonly Option[],
): string[] {
  const words: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const isProgram = STARTERS.includes(name) && words.includes(name) && !word.startsWith("-");
    if (isProgram) words.push("--");
    if (isProgram || word === "--") return [...words, word, ...rest];
    const [letter, others] = [word.slice(0, 2), word.slice(2)];
    if (others && options.some(({ short, required }) => short === letter && !required)) {
      rest.unshift(`-${others}`);
      word = letter;
    }
    const option = options.find(({ short, long }) => [short, long].includes(word));
    words.push(option instanceof InlineOption ? option.inline(rest[0]) : word);
    if (option?.required) words.push(...rest.splice(0, 1));
  }
  return words;
}

/** The command that these words name, or the program itself. */
function calledCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words)
    command = command.commands.find((child) => child.name() === word) ?? command;
  return command;
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/**
 * Makes errors in subcommands be thrown too, instead of printed by commander, and repeated flags be
 * errors.
 */
function inheritSettings(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const option of command.options) refuseRepeated(option, command);
  for (const subcommand of command.commands) inheritSettings(subcommand, command);
}

/** The flags whose values add up. */
const LISTS = ["only", "exclude", "allow-reserved", "env-file"];

/** commander would use the last value: of `--env test --env production`, one is a mistake. */
function refuseRepeated(option: Option, command: Command): void {
  if (
    LISTS.includes(option.name()) ||
    option.parseArg === collect ||
    !(option.required || option.optional)
  )
    return;
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    if (isGiven) throw new UsageError(`${option.long} is given more than once`);
    isGiven = true;
  });
}

/** For the help of a command, which leaves most flags for connections to that of `connection`. */
function listedOptions(command: Command): Option[] {
  const options = new Help().visibleOptions(command);
  return command.name() === CONNECTION
    ? options
    : options.filter(({ helpGroupHeading }) => helpGroupHeading !== CONNECTION_GROUP);
}
