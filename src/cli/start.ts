import { endWithTerminal } from "../kit/process/end-process.js";
import { wasTerminated } from "../kit/process/signals.js";
import { findUnknownCommand, VERSION_FLAGS } from "./known-commands.js";
import { type Context, createContext, type Io, type OutputFlags } from "./output/context.js";
import { writeLines } from "./output/output.js";
import { reportError } from "./output/report-error.js";
import { packageVersion, processIo } from "./process-io.js";

/**
 * Runs the command line of this process and resolves to its exit code.
 *
 * @param keepCompiled called before much is loaded. `get` loads little: to check the folder of the
 *   cache would take
 *   longer than it saves
 */
export async function start(argv: readonly string[], keepCompiled?: () => void): Promise<number> {
  const io = processIo();
  if (argv[0] === "run") keepCompiled?.();
  const code = (await quickCall(argv, io)) ?? (await call(argv, io, keepCompiled));
  if (wasTerminated()) io.leaveUnread();
  endWithTerminal(code);
  return code;
}

async function call(argv: readonly string[], io: Io, keepCompiled?: () => void): Promise<number> {
  if (argv[0] === "__complete")
    return (await import("./completion/quick-complete.js")).quickComplete(argv, io);
  if (argv[0] !== "run") keepCompiled?.();
  return (await import("./program.js")).main(argv, io);
}

/**
 * Runs a call that needs neither commander nor the code of other commands, which take longer to
 * load than it takes: `get NAME…`, `run [FLAGS] -- COMMAND`, `--version`, and the error for an
 * unknown command. Resolves to the exit code, or to undefined for a command line that it leaves to
 * `main`: any other command, help, mistakes, and flags of these commands themselves.
 */
export async function quickCall(argv: readonly string[], io: Io): Promise<number | undefined> {
  const [first = ""] = argv;
  const isVersion = argv.length === 1 && VERSION_FLAGS.includes(first);
  // A flag may stand before the command.
  const parsers =
    !isVersion && /^(get$|run$|-)/.test(first)
      ? await import("./arguments/parse-words.js")
      : undefined;
  const quick = parsers && (parseGet(argv, parsers) ?? parseRun(argv, parsers));
  const call = isVersion ? VERSION : quick;
  // Completion scripts call `__complete`, which no help lists.
  const unknown = call || first === "__complete" ? undefined : findUnknownCommand(argv);
  if (unknown) return await reportError(unknown, argv, io);
  if (!call) return undefined;
  const context = createContext(io, call.output);
  try {
    await call.run(context);
    return context.exitCode;
  } catch (error) {
    return await reportError(error, argv, io);
  }
}

interface QuickCall {
  output: OutputFlags;
  run(context: Context): Promise<void>;
}

const VERSION: QuickCall = {
  output: { color: true },
  run: async ({ io }) => writeLines(io.stdout, [packageVersion()]),
};

type Parsers = typeof import("./arguments/parse-words.js");

function parseGet(argv: readonly string[], { parseQuickWords }: Parsers): QuickCall | undefined {
  const parsed = parseQuickWords("get", argv, { "no-newline": "n", null: "0" });
  if (!parsed || parsed.positionals.length === 0) return undefined;
  const { positionals: names, others, output, flags } = parsed;
  const [newline, endsWithNul] = [!others["no-newline"], others["null"] === true];
  // commander reports the flags that conflict with --null.
  if (endsWithNul && (output.json || !newline)) return undefined;
  const run = async (context: Context) => {
    const { runGet } = await import("./commands/run-get.js");
    await runGet({ names, newline, null: endsWithNul }, flags, context);
  };
  return { output, run };
}

function parseRun(argv: readonly string[], { parseQuickWords }: Parsers): QuickCall | undefined {
  const end = argv.indexOf("--");
  const [program, ...args] = argv.slice(end + 1);
  const parsed =
    end > 0 && program !== undefined
      ? parseQuickWords("run", argv.slice(0, end), { strict: undefined })
      : undefined;
  if (program === undefined || !parsed || parsed.positionals.length > 0) return undefined;
  const { output, flags, others } = parsed;
  const run = async (context: Context) => {
    const { callRun } = await import("../tasks/run/run-program.js");
    context.exitCode = await callRun(
      [program, ...args],
      { ...flags, strict: others["strict"] === true || undefined },
      context,
    );
  };
  return { output, run };
}
