import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { UsageError } from "../domain/errors.js";
import { escapeControls } from "../domain/escape-controls.js";
import type { Context } from "./context.js";
import { type Descendants, descendantsOf } from "./process-tree.js";
import { type CaughtSignal, catchSignals, isInForeground } from "./signals.js";
import { explainStartFailure, type StartFailure } from "./start-failure.js";

/** A program to start: its name or path, then its arguments. */
export type Command = readonly [program: string, ...args: string[]];

export type ChildEnvironment = Readonly<Record<string, string>>;

export interface ChildOptions {
  /** Told when the program could not be started; `exitCode` then resolves to 126 or 127. */
  onFailure: (failure: StartFailure) => void;
  /** Whether stdout and stderr are read by us. By default the program has ours. */
  isPiped?: boolean;
  /** Told of each signal to this process, before it is passed on to the program. */
  onSignal?: (name: CaughtSignal) => void;
}

export interface Child {
  /** The program's own; 128+n when signal n ended it; 127 when it was not found, 126 when it could not be started. */
  exitCode: Promise<number>;
  /** Sends a signal; does nothing once the program has ended. */
  signal(name: NodeJS.Signals): void;
  /** What the program has started so far. */
  descendants(): Descendants;
  /** Undefined when the program could not be started. */
  pid: number | undefined;
  /** With `isPiped`, and null when the program could not be started. */
  stdout: Readable | null;
  stderr: Readable | null;
}

/**
 * Starts a program in this process's own process group, with its stdin and terminal, so that job control is as if it
 * had been started without us. Until it has ended, signals to this process go to the program and not to us.
 *
 * @throws UsageError for a variable that no environment can hold
 */
export function startChild(command: Command, env: ChildEnvironment, options: ChildOptions): Child {
  const { onFailure, isPiped, onSignal } = options;
  refuseNul(env);
  // Caught before there is a child: what comes while it is being started waits for this function to return.
  const release = catchSignals((name) => {
    onSignal?.(name);
    if (!comesFromTerminal(name)) signal(name);
  });
  const child = spawnSafely(command, env, isPiped ? ["inherit", "pipe", "pipe"] : "inherit");
  const signal = (name: NodeJS.Signals) => void (child instanceof Error || child.kill(name));
  const ended = ending(child).catch(async (error: NodeJS.ErrnoException) => {
    const failure = await explainStartFailure(error, command[0], env["PATH"]);
    onFailure(failure);
    return failure.exitCode;
  });
  const exitCode = ended.finally(release);
  if (child instanceof Error) {
    return {
      exitCode,
      signal,
      descendants: () => descendantsOf(undefined),
      pid: undefined,
      stdout: null,
      stderr: null,
    };
  }
  const { pid, stdout, stderr } = child;
  // The id of a program that has ended may be another's by now.
  const descendants = () => descendantsOf(child.exitCode === null && child.signalCode === null ? pid : undefined);
  return { exitCode, signal, descendants, pid, stdout, stderr };
}

/** What a command does with the failure: one line on stderr, or JSON where `--json` asks for it. */
export function startFailureReporter({ io, flags }: Context): (failure: StartFailure) => void {
  return ({ exitCode, message }) => {
    const code = exitCode === 127 ? "not_found" : "unexpected";
    const line = flags.json ? JSON.stringify({ error: { code, message } }) : `appvars: ${escapeControls(message)}`;
    io.stderr.write(`${line}\n`);
  };
}

/**
 * A terminal has sent its Ctrl-C to the program too, which must not get it twice. SIGHUP is always forwarded: when a
 * terminal hangs up, the program may get two, but by then it can't be told from a request to reload.
 */
export function comesFromTerminal(name: CaughtSignal): boolean {
  return (name === "SIGINT" || name === "SIGQUIT") && isInForeground();
}

/** Node throws some errors of a start, E2BIG for one, and emits others. */
function spawnSafely([program, ...args]: Command, env: ChildEnvironment, stdio: StdioOptions): ChildProcess | Error {
  try {
    return spawn(program, args, { env, stdio });
  } catch (error) {
    return error as Error;
  }
}

async function ending(child: ChildProcess | Error): Promise<number> {
  if (child instanceof Error) throw child;
  return new Promise((resolve, reject) => {
    // A signal that may not be sent, to a set-user-id program for one, is an error event too.
    child.on("error", (error) => child.pid === undefined && reject(error));
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** @throws UsageError that names the variable */
export function refuseNul(env: ChildEnvironment): void {
  const name = Object.keys(env).find((key) => env[key]?.includes("\0"));
  if (name !== undefined) throw new UsageError(`the value of ${name} holds a NUL, which no environment can`);
}
