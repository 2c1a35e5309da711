import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { constants as systemConstants } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { UsageError } from "../../domain/errors.js";
import type { Context } from "../output/context.js";
import { writeJsonLine, writeLines } from "../output/output.js";
import { type Descendants, descendantsOf } from "./process-tree.js";
import { type CaughtSignal, catchSignals, isInForeground } from "./signals.js";

/** A program to start: its name or path, then its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]];

export type ChildEnvironment = Readonly<Record<string, string>>;

export interface ChildOptions {
  /** Whether stdout and stderr are pipes. By default the program has ours. */
  isPiped?: boolean;
  /** Called with each signal to this process, before it is forwarded to the program. */
  onSignal?: (name: CaughtSignal) => void;
}

export interface Child {
  /** The program's own; 128+n when signal n ended it; 127 when it was not found, 126 when it could not be started. */
  exitCode: Promise<number>;
  /** Sends a signal; does nothing once the program has ended. */
  signal(name: NodeJS.Signals): void;
  /** The processes that the program has started so far. */
  descendants(): Descendants;
  /** Undefined when the program could not be started. */
  pid: number | undefined;
  /** With `isPiped`; null when the program could not be started. */
  stdout: Readable | null;
  stderr: Readable | null;
}

/**
 * Starts a program in our own process group, with our stdin and terminal, so that job control works as if it had been
 * started directly. Until it has ended, signals to this process are forwarded to it and do not end us. A failed start
 * is reported on stderr.
 *
 * @throws UsageError for a variable that no environment can hold
 */
export function startChild(
  command: CommandLine,
  env: ChildEnvironment,
  context: Context,
  { isPiped, onSignal }: ChildOptions,
): Child {
  refuseNul(env);
  // Before the start: a signal that arrives during the start is delivered once this function has returned.
  const release = catchSignals((name) => {
    onSignal?.(name);
    if (!comesFromTerminal(name)) signal(name);
  });
  const [child, ended] = spawnCommand(command, env, isPiped ? ["inherit", "pipe", "pipe"] : "inherit");
  const signal = (name: NodeJS.Signals) => void child?.kill(name);
  const exitCode = ended.catch((error) => reportStartFailure(error, command, env, context));
  // Once the program has ended, its id may be another's.
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  return {
    exitCode: exitCode.finally(release),
    signal,
    descendants: () => descendantsOf(isRunning() ? child?.pid : undefined),
    pid: child?.pid,
    stdout: child?.stdout ?? null,
    stderr: child?.stderr ?? null,
  };
}

/**
 * Whether a terminal has sent this signal, and so to the program too, which must not get it twice. SIGHUP is always
 * forwarded: it can't be told from a request to reload, and a program that gets it twice is hanging up anyway.
 */
export function comesFromTerminal(name: CaughtSignal): boolean {
  return (name === "SIGINT" || name === "SIGQUIT") && isInForeground();
}

export function refuseNul(env: ChildEnvironment): void {
  const name = Object.keys(env).find((key) => env[key]?.includes("\0"));
  if (name !== undefined) {
    throw new UsageError(`the value of ${name} contains a NUL character, which no environment can hold`);
  }
}

/** The second promise rejects when the program can't be started. Node throws some of these errors and emits others. */
function spawnCommand(
  [program, ...args]: CommandLine,
  env: ChildEnvironment,
  stdio: StdioOptions,
): [ChildProcess | undefined, Promise<number>] {
  try {
    const child = spawn(program, args, { env, stdio });
    const ended = new Promise<number>((resolve, reject) => {
      // A signal that may not be sent, to a set-user-id program for example, is an error event too.
      child.on("error", (error) => child.pid === undefined && reject(error));
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? systemConstants.signals[signal] : 0)));
    });
    return [child, ended];
  } catch (error) {
    return [undefined, Promise.reject(error)];
  }
}

/**
 * Reports an error of `spawn`, and resolves to the exit code that a shell and `env` use for it. ENOENT stands for a
 * missing program or a missing interpreter; EACCES for a file that is not executable or a folder.
 */
async function reportStartFailure(
  { code }: NodeJS.ErrnoException,
  command: CommandLine,
  env: ChildEnvironment,
  { io, flags }: Context,
): Promise<126 | 127> {
  const [program] = command;
  const isNotFound = code === "ENOENT" || program === "";
  const message = isNotFound
    ? await explainNotFound(program, env["PATH"])
    : code === "E2BIG"
      ? (await import("./too-large.js")).explainTooLarge(command, env)
      : await explainNotExecutable(code, program);
  if (flags.json) writeJsonLine(io.stderr, { error: { code: isNotFound ? "not_found" : "unexpected", message } });
  else writeLines(io.stderr, [`appvars: ${message}`]);
  return isNotFound ? 127 : 126;
}

async function explainNotFound(command: string, path: string | undefined): Promise<string> {
  if (await isExecutable(command, path)) return `${command} can't be started: its interpreter or loader is missing`;
  return command.includes("/") ? `there is no file ${command}` : `there is no command "${command}" in PATH`;
}

async function explainNotExecutable(code: string | undefined, command: string): Promise<string> {
  if (code !== "EACCES") return `${command} can't be started (${code})`;
  const isFolder = (await stat(command).catch(() => undefined))?.isDirectory();
  return isFolder ? `${command} is a folder, not a command` : `${command} is not executable for this user`;
}

/** Whether the system finds a file to execute, by the rule of execvp(3). */
async function isExecutable(command: string, path = "/bin:/usr/bin"): Promise<boolean> {
  if (command === "") return false;
  const candidates = command.includes("/") ? [command] : path.split(delimiter).map((folder) => join(folder, command));
  return Promise.any(candidates.map((candidate) => access(candidate, constants.X_OK))).then(
    () => true,
    () => false,
  );
}
