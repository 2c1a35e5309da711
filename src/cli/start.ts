import { endIfObstructed } from "./exits/end-process.js";
import { endWithParent, isStartedByNpm, wasTerminated } from "./exits/signals.js";
import { type Context, createContext, type OutputFlags } from "./output/context.js";
import type { Io } from "./output/io.js";
import { reportError } from "./output/report-error.js";
import { processIo } from "./process-io.js";
import { runGet } from "./reading/run-get.js";
import { parseQuickWords } from "./settings/parse-words.js";

/** Runs the command line of this process and resolves to its exit code. */
export async function start(argv: readonly string[]): Promise<number> {
  const io = processIo();
  if (isStartedByNpm(io.env, argv)) endWithParent();
  const code = (await quickCall(argv, io)) ?? (await call(argv, io));
  if (wasTerminated()) io.leaveUnread();
  await endIfObstructed(code, io);
  return code;
}

async function call(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === "__complete") return (await import("./completion/quick-complete.js")).quickComplete(argv, io);
  return (await import("./program.js")).main(argv, io);
}

/**
 * Runs `get NAME…` or `run [FLAGS] -- COMMAND` without loading commander: scripts call them often, and with commander
 * `get` takes a tenth longer. Resolves to the exit code, or to undefined for a command line that it leaves to `main`: any
 * other command, help, mistakes, and flags of these commands themselves.
 */
export async function quickCall(argv: readonly string[], io: Io): Promise<number | undefined> {
  const [first = ""] = argv;
  // A flag may stand before the command.
  const call =
    first === "run" ? parseRun(argv) : /^(get$|-)/.test(first) ? (parseGet(argv) ?? parseRun(argv)) : undefined;
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

function parseGet(argv: readonly string[]): QuickCall | undefined {
  const parsed = parseQuickWords("get", argv, { "no-newline": "n", null: "0" });
  if (!parsed || parsed.positionals.length === 0) return undefined;
  const { positionals: names, others, output, flags } = parsed;
  const [newline, endsWithNul] = [!others["no-newline"], others["null"] === true];
  // commander reports the flags that conflict with --null.
  if (endsWithNul && (output.json || !newline)) return undefined;
  return { output, run: (context) => runGet({ names, newline, null: endsWithNul }, flags, context) };
}

function parseRun(argv: readonly string[]): QuickCall | undefined {
  const end = argv.indexOf("--");
  const [program, ...args] = argv.slice(end + 1);
  const parsed = end > 0 && program !== undefined ? parseQuickWords("run", argv.slice(0, end)) : undefined;
  if (program === undefined || !parsed || parsed.positionals.length > 0) return undefined;
  const { output, flags } = parsed;
  const run = async (context: Context) => {
    const { callRun } = await import("./run/call-run.js");
    context.exitCode = await callRun([program, ...args], flags, context);
  };
  return { output, run };
}
