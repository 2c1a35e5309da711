import { Command, CommanderError, Help, Option } from "commander";
import { UsageError } from "../domain/errors.js";
import { nearest } from "../domain/nearest.js";
import { type Context, createContext, type OutputFlags } from "./output/context.js";
import type { Io } from "./output/io.js";
import { writeLines } from "./output/output.js";
import { ownWords, reportError } from "./output/report-error.js";
import { packageFile, packageVersion } from "./process-io.js";
import { refuseSeparateTime } from "./settings/flag-arguments.js";
import { OUTPUT_WORDS } from "./settings/parse-words.js";
import { CONNECTION, CONNECTION_GROUP } from "./settings/source-flags.js";

type CommandFactory = (context: Context) => Command;

type Load = () => Promise<CommandFactory>;

/** The commands by the headings of the help. Each is loaded only when it is called, or when help lists them all. */
const GROUPS: Record<string, Record<string, Load>> = {
  "Read variables:": {
    list: async () => (await import("./commands/list.js")).listCommand,
    get: async () => (await import("./commands/get.js")).getCommand,
    show: async () => (await import("./commands/show.js")).showCommand,
    run: async () => (await import("./commands/run.js")).runCommand,
    export: async () => (await import("./commands/export/export.js")).exportCommand,
    diff: async () => (await import("./commands/diff.js")).diffCommand,
    tui: async () => (await import("./commands/tui.js")).tuiCommand,
  },
  "Change data:": {
    init: async () => (await import("./commands/init.js")).initCommand,
    set: async () => (await import("./commands/set.js")).setCommand,
    unset: async () => (await import("./commands/unset.js")).unsetCommand,
    import: async () => (await import("./commands/import.js")).importCommand,
    env: async () => (await import("./commands/env.js")).envCommand,
    history: async () => (await import("./commands/history.js")).historyCommand,
    migrate: async () => (await import("./commands/migrate.js")).migrateCommand,
  },
  "Serve and test:": {
    serve: async () => (await import("./commands/serve/serve.js")).serveCommand,
    sandbox: async () => (await import("./commands/sandbox/sandbox.js")).sandboxCommand,
    health: async () => (await import("./commands/health.js")).healthCommand,
    doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
    sign: async () => (await import("./commands/sign.js")).signCommand,
    openapi: async () => {
      const { openapiCommand } = await import("./commands/openapi.js");
      return (context) => openapiCommand(context, packageFile("data/openapi.yaml"));
    },
  },
  "Settings:": {
    profile: async () => (await import("./commands/profile/profile.js")).profileCommand,
    config: async () => (await import("./commands/config.js")).configCommand,
    allow: async () => (await import("./commands/allow.js")).allowCommand,
    completion: async () => {
      const { completionCommand } = await import("./commands/completion.js");
      const templates = packageFile("data/completion/");
      const buildWhole = async (io: Io) => (await buildProgram([], io)).program;
      return (context) => completionCommand(context, templates, () => buildWhole(context.io));
    },
    connection: async () => (await import("./settings/source-flags.js")).connectionTopic,
  },
};

/** Runs one command line and resolves to its exit code. Never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let words = argv;
  try {
    const { program, context, ...built } = await buildProgram(argv, io);
    words = built.words;
    await program.parseAsync(words, { from: "user" }).catch(async (error: unknown) => {
      const { withHint } = await import("./usage-hints.js");
      throw withHint(error, program, words);
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

/** Builds the command line for one call: if `argv` names a command, with that command only. */
export async function buildProgram(argv: readonly string[], io: Io): Promise<Built> {
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
    context.flags = program.opts<OutputFlags>();
    const { parent } = command;
    context.io.command = parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
  });
  const { stdout, stderr } = io;
  program.configureOutput({
    writeOut: (text) => writeLines(stdout, linesOf(text)),
    writeErr: (text) => void (argv.includes("--json") || writeLines(stderr, linesOf(text))),
    outputError: () => {},
  });
  const name = argv.find((word) => !word.startsWith("-")) ?? "";
  // Not `version()`, for which every command would read package.json.
  const printVersion = () => {
    // Otherwise `set NAME -v` would end with 0, and set nothing.
    if (name !== "") throw new UsageError("the version is printed without a command: appvars --version");
    writeLines(stdout, [packageVersion()]);
    throw new CommanderError(0, "commander.version", "the version");
  };
  program.on("option:version", printVersion).on("option:v", printVersion);
  for (const { heading, load } of commandsFor(name)) {
    const command = (await load())(context);
    inheritSettings(command, program);
    program.addCommand(command.helpGroup(heading));
  }
  refuseUnknownCommands(program, argv);
  const words = STARTERS.includes(name) ? separateCommand(argv, name, optionsOf(program)) : [...argv];
  // The flags that take a time after `=`.
  if (argv.includes("--cache") || argv.includes("--watch"))
    refuseSeparateTime(argv, ownWords(words), optionsOf(program));
  return { program, context, words };
}

/** Those of `appvars` and of the commands that are built. */
function optionsOf(program: Command): Option[] {
  return [program, ...program.commands].flatMap((command) => command.options);
}

/** The commands that start another program. */
const STARTERS = ["run", "sandbox"];

/**
 * Puts `--` before the command line of another program, so that commander does not parse its flags:
 * `run --only A ls --json` becomes `run --only A -- ls --json`.
 *
 * @param name of the called command
 * @param options those of `appvars` and of the command
 */
export function separateCommand(argv: readonly string[], name: string, options: readonly Option[]): string[] {
  let end = argv.indexOf(name) + 1;
  while (argv[end]?.startsWith("-") && argv[end] !== "--") {
    const option = options.find(({ short, long }) => argv[end] === short || argv[end] === long);
    end += option?.required ? 2 : 1;
  }
  return end >= argv.length || argv[end] === "--" ? [...argv] : [...argv.slice(0, end), "--", ...argv.slice(end)];
}

/** The flags that may stand before a command. */
const SWITCHES = [...OUTPUT_WORDS, "-h", "--help", "-V", "-v", "--version"];

/**
 * commander would print help for `gte --help` or `help gte`, and exit with 0.
 *
 * @throws UsageError with the likely command
 */
function refuseUnknownCommands(program: Command, argv: readonly string[]): void {
  let command = program;
  for (const word of argv) {
    if (word === "help" || SWITCHES.includes(word)) continue;
    // commander reports another flag here; the next word may be its value.
    if (command.commands.length === 0 || word.startsWith("-")) return;
    const called = command.commands.find((candidate) => candidate.name() === word);
    if (!called) throw unknownCommand(word, command);
    command = called;
  }
}

/** The commands that other programs' names and former ones stand for. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ["ls", ["list"]],
  ["rm", ["unset", "remove"]],
  ["delete", ["unset", "remove"]],
  ["remove", ["unset"]],
  ["info", ["show"]],
  ["edit", ["tui"]],
  ["printenv", ["get", "export"]],
  ["explain", ["show"]],
]);

function unknownCommand(word: string, { commands }: Command): UsageError {
  const names = commands.map((command) => command.name());
  const meant = MEANT.get(word)
    ?.filter((name) => names.includes(name))
    .join(" or ");
  const suggestion = meant || nearest(word, names);
  return new UsageError(`unknown command '${word}'${suggestion ? ` (did you mean ${suggestion}?)` : "; see --help"}`);
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/** Makes errors in subcommands be thrown too, instead of printed by commander, and repeated flags be errors. */
function inheritSettings(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const option of command.options) refuseRepeated(option, command);
  for (const subcommand of command.commands) inheritSettings(subcommand, command);
}

/** The flags whose values add up. */
const LISTS = ["only", "exclude", "allow-reserved", "env-file"];

/** commander would use the last value: of `--env test --env production`, one is a mistake. */
function refuseRepeated(option: Option, command: Command): void {
  if (LISTS.includes(option.name()) || !(option.required || option.optional)) return;
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    if (isGiven) throw new UsageError(`${option.long} is given more than once`);
    isGiven = true;
  });
}

/** The command of that name, or all if there is none; each under its heading. */
function commandsFor(name: string): { heading: string; load: Load }[] {
  const groups = Object.entries(GROUPS);
  for (const [heading, commands] of groups)
    if (Object.hasOwn(commands, name)) return [{ heading, load: commands[name] as Load }];
  return groups.flatMap(([heading, commands]) => Object.values(commands).map((load) => ({ heading, load })));
}

/** For the help of a command, which leaves most flags for connections to that of `connection`. */
function listedOptions(command: Command): Option[] {
  const options = new Help().visibleOptions(command);
  return command.name() === CONNECTION
    ? options
    : options.filter(({ helpGroupHeading }) => helpGroupHeading !== CONNECTION_GROUP);
}
