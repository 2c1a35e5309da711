import { Command } from "commander";
import { UsageError } from "../domain/errors.js";
import { nearest } from "../domain/nearest.js";
import { type Context, createContext, type OutputFlags } from "./context.js";
import type { Io } from "./io.js";
import { packageVersion } from "./package-version.js";
import { ownWords, separateCommand } from "./separate-command.js";

type CommandFactory = (context: Context) => Command;

/** The commands, in the order of the help. Each is loaded only when it is called, or when help lists them all. */
const COMMANDS: Record<string, () => Promise<CommandFactory>> = {
  serve: async () => (await import("./commands/serve.js")).serveCommand,
  init: async () => (await import("./commands/init.js")).initCommand,
  list: async () => (await import("./commands/list.js")).listCommand,
  get: async () => (await import("./commands/get.js")).getCommand,
  show: async () => (await import("./commands/show.js")).showCommand,
  explain: async () => (await import("./commands/explain.js")).explainCommand,
  health: async () => (await import("./commands/health.js")).healthCommand,
  run: async () => (await import("./commands/run.js")).runCommand,
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
  set: async () => (await import("./commands/set.js")).setCommand,
  unset: async () => (await import("./commands/unset.js")).unsetCommand,
  import: async () => (await import("./commands/import.js")).importCommand,
  export: async () => (await import("./commands/export.js")).exportCommand,
  diff: async () => (await import("./commands/diff.js")).diffCommand,
  tui: async () => (await import("./commands/tui.js")).tuiCommand,
  env: async () => (await import("./commands/env.js")).envCommand,
  sandbox: async () => (await import("./commands/sandbox.js")).sandboxCommand,
  profile: async () => (await import("./commands/profile.js")).profileCommand,
  config: async () => (await import("./commands/config.js")).configCommand,
  sign: async () => (await import("./commands/sign.js")).signCommand,
  openapi: async () => (await import("./commands/openapi.js")).openapiCommand,
  completion: async () => {
    const { completionCommand } = await import("./commands/completion.js");
    return (context) => completionCommand(context, async () => (await buildProgram([], context.io)).program);
  },
};

interface Built {
  program: Command;
  context: Context;
  /** What the program is to parse: `argv`, with a `--` before another program's words. */
  words: string[];
}

/** The command line, for this one call of it: without the commands that `argv` does not name. */
export async function buildProgram(argv: readonly string[], io: Io): Promise<Built> {
  const program = new Command("appvars")
    .description("Serve the variables of an application environment, and read them from scripts.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .option("--json", "machine-readable output, errors too")
    .option("-q, --quiet", "no notes on stderr")
    .option("--verbose", "tell of each request on stderr")
    .option("--no-color", "no colour (also NO_COLOR; FORCE_COLOR for the opposite)")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", "\nExample:\n  appvars serve")
    .exitOverride();
  const context = createContext(io, () => program.opts<OutputFlags>());
  const { stdout, stderr } = io;
  program.configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => void (argv.includes("--json") || stderr.write(text)),
    outputError: () => {},
  });
  for (const load of commandsFor(argv)) {
    const command = (await load())(context);
    inheritSettings(command, program);
    program.addCommand(command);
  }
  refuseUnknownCommands(program, argv);
  const options = [program, ...program.commands].flatMap((command) => command.options);
  return { program, context, words: separateCommand(argv, options) };
}

/**
 * commander would print help, as if nothing were wrong, for `gte --help` or `help gte`.
 *
 * @throws UsageError with the command that was likely meant
 */
function refuseUnknownCommands(program: Command, argv: readonly string[]): void {
  let command = program;
  const switches = [...program.options.flatMap(({ long, short }) => [long, short]), "--help", "-h"];
  for (const word of ownWords(argv).filter((text) => !switches.includes(text))) {
    // Another flag is in the wrong place, and the next word may be its value: commander says so.
    if (command.commands.length === 0 || word.startsWith("-")) return;
    if (word === "help") continue;
    const called = command.commands.find((candidate) => candidate.name() === word);
    if (!called) throw unknownCommand(word, command);
    command = called;
  }
}

function unknownCommand(word: string, { commands }: Command): UsageError {
  const suggestion = nearest(
    word,
    commands.map((command) => command.name()),
  );
  return new UsageError(`unknown command '${word}'${suggestion ? `\n(Did you mean ${suggestion}?)` : "; see --help"}`);
}

/** So that errors in a command of a command are thrown too, not printed by commander. */
function inheritSettings(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const subcommand of command.commands) inheritSettings(subcommand, command);
}

function commandsFor(argv: readonly string[]): (() => Promise<CommandFactory>)[] {
  const called = COMMANDS[argv.find((word) => !word.startsWith("-")) ?? ""];
  return called ? [called] : Object.values(COMMANDS);
}
