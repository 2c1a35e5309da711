import {
  Argument,
  Command as CommanderCommand,
  CommanderError,
  Help,
  InvalidArgumentError,
  Option,
} from "commander";
import {
  argumentRows,
  type Command,
  describeCommand,
  type FlagTable,
  flagRows,
  HELP_FLAG,
  OUTPUT_FLAGS,
} from "./arguments/command.js";
import { ArgumentError, addValue, finishLine, type ParsedLine } from "./arguments/parse-line.js";
import { CONNECTION, CONNECTION_HEADING } from "./arguments/source-flags.js";
import { COMMANDS_BY_HEADING, type CommandCall } from "./command-registry.js";
import type { Io } from "./output/context.js";
import { writeLines } from "./output/output.js";
import { withHint } from "./usage-hints.js";

/**
 * Parses a command line with commander, which prints help and reports mistakes.
 *
 * @throws UsageError; CommanderError, whose exit code is 0 after help and the
 *   version
 */
export async function parseWithCommander(call: CommandCall, io: Io): Promise<ParsedLine> {
  const { path, command, words } = call;
  const program = createProgram(call, io);
  let called = program;
  for (const [index, name] of path.entries()) {
    const isLast = index === path.length - 1;
    called = addCommand(
      called,
      name,
      isLast ? command : { description: "", examples: [] },
      io.surroundings.clock,
    );
  }
  await program.parseAsync([...path, ...words], { from: "user" }).catch((error: unknown) => {
    const isMistake = error instanceof CommanderError && error.exitCode !== 0;
    throw isMistake ? withHint(error, call) : error;
  });
  const values = argumentRows(command).map(({ name }, index) => [
    name,
    called.processedArgs[index],
  ]);
  return finishLine(
    command,
    { ...givenValues(program), ...givenValues(called) },
    Object.fromEntries(values),
    io.surroundings.clock,
  );
}

function createProgram({ path, command, words }: CommandCall, io: Io) {
  const program = new CommanderCommand("appvars")
    .helpOption("-h, --help", HELP_FLAG["-h, --help"])
    .commandsGroup(Object.keys(COMMANDS_BY_HEADING).at(-1) ?? "")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ showGlobalOptions: true, visibleOptions: listedOptions })
    .configureOutput({
      writeOut: (text) => writeLines(io.stdout, linesOf(text)),
      writeErr: (text) => void (words.includes("--json") || writeLines(io.stderr, linesOf(text))),
      outputError: () => {},
    })
    .exitOverride();
  const isRoot = path.length === 0;
  addFlags(program, { ...(isRoot && command.flags), ...OUTPUT_FLAGS }, io.surroundings.clock);
  if (isRoot) {
    describe(program, command);
    listCommands(program);
  }
  return program;
}

function describe(built: CommanderCommand, command: Command): void {
  const { details, examples } = command;
  const { description, summary } = describeCommand(command);
  const heading = examples.length > 1 ? "Examples" : "Example";
  built
    .description(description)
    .summary(summary)
    .addHelpText(
      "after",
      `${details ? `\n${details}\n` : ""}\n${heading}:\n  ${examples.join("\n  ")}`,
    );
}

/** Adds all commands to the help of the program, without loading them. */
function listCommands(program: CommanderCommand): void {
  for (const [heading, commands] of Object.entries(COMMANDS_BY_HEADING))
    for (const [name, [summary]] of Object.entries(commands))
      program.addCommand(new CommanderCommand(name).summary(summary).helpGroup(heading));
}

function addCommand(
  parent: CommanderCommand,
  name: string,
  command: Command,
  clock: () => number,
): CommanderCommand {
  const built = new CommanderCommand(name).copyInheritedSettings(parent);
  describe(built, command);
  if (command.usage) built.usage(command.usage);
  for (const row of argumentRows(command)) {
    const argument = new Argument(row.form, row.help);
    if (row.choices) argument.choices(row.choices);
    built.addArgument(row.isVariadic ? argument : argument.argParser(parserOf(row, clock)));
  }
  addFlags(built, command.flags, clock);
  const children = Object.entries(command.commands ?? {});
  for (const [child, each] of children) addCommand(built, child, each, clock);
  if (children.length === 0)
    built.action(() => {
      if (!command.run) built.help();
    });
  parent.addCommand(built);
  return built;
}

function addFlags(
  built: CommanderCommand,
  flags: FlagTable | undefined,
  clock: () => number,
): void {
  for (const row of new Set(flagRows(flags).values())) {
    const { form, help, heading, choices } = row;
    // The value of `--cache[=age]` follows `=`: `splitWords` adds it.
    const option = new Option(form.replace("[=", " ["), help);
    option.flags = form;
    if (heading) option.helpGroup(heading);
    if (choices) option.choices(choices);
    if (row.placeholder) option.argParser(parserOf(row, clock)).default(row.default, row.default);
    built.addOption(option.hideHelp(row.refused !== undefined));
  }
}

function parserOf(row: Parameters<typeof addValue>[0], clock: () => number) {
  let value: unknown;
  return (text: string) => {
    try {
      value = addValue(row, text, value, clock);
      return value;
    } catch (error) {
      throw error instanceof ArgumentError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

function givenValues(built: CommanderCommand): Record<string, unknown> {
  const isGiven = ([name]: [string, unknown]) => built.getOptionValueSource(name) === "cli";
  return Object.fromEntries(Object.entries(built.opts()).filter(isGiven));
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/**
 * The flags in the help of a command. `appvars help connection` lists most
 * flags for connections.
 */
function listedOptions(command: CommanderCommand): Option[] {
  const options = new Help().visibleOptions(command);
  return command.name() === CONNECTION
    ? options
    : options.filter(({ helpGroupHeading }) => helpGroupHeading !== CONNECTION_HEADING);
}
