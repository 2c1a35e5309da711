import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { type Descendants, descendantsOf } from "./process-tree.js";
import {
  type ChildEnvironment,
  type ParentProcess,
  type ProgramLine,
  refuseNul,
  warnOfLostBytes,
} from "./program.js";
import { catchSignals, comesFromTerminal, isInForeground } from "./signals.js";
import { readProcessStat } from "./this-process.js";
import type { PreparedCommand } from "./windows-program.js";

type WindowsSupport = typeof import("./windows-program.js");

/** Loads the support for Windows; `undefined` on other systems. */
export async function loadWindowsSupport(
  platform: NodeJS.Platform,
): Promise<WindowsSupport | undefined> {
  return platform === "win32" ? import("./windows-program.js") : undefined;
}

/** @throws UsageError for an argument that can't be passed to the program */
export function prepareCommand(
  command: ProgramLine,
  env: ChildEnvironment,
  windows: WindowsSupport | undefined,
): PreparedCommand {
  const [program, ...args] = command;
  return windows?.prepareProgram(command, env) ?? { command: program, args };
}

// Read at the start, since a shell can later move this process to the
// background or foreground.
const stat = readProcessStat("self");
const isForeground = isInForeground(stat);

/**
 * Whether programs get a separate process group, so that signals to this group
 * reach them only through this process. In the foreground of a terminal they
 * share it, since a program in another group can't use the terminal, unless
 * timeout(1) runs us: it signals this process, and then its group.
 */
const HAS_OWN_GROUP =
  !isForeground || (stat !== undefined && readProcessStat(stat.group)?.name === "timeout");

/**
 * The stdin of programs. In the background, a program would take input that is
 * meant for the shell.
 */
const STDIN = !isForeground && isatty(0) ? "ignore" : "inherit";

export interface ChildOptions {
  /** Whether stdout and stderr are pipes. By default, the program inherits them. */
  isPiped?: boolean;
  /**
   * Whether the caller ends the descendants. By default, they get the signal
   * that has ended the program.
   */
  endsDescendants?: boolean;
  /** The result of {@link loadWindowsSupport}. */
  windows?: WindowsSupport | undefined;
}

export interface Child {
  /** The exit code; 128+n for signal n. Rejects with a StartError. */
  exitCode: Promise<number>;
  /**
   * Sends a signal; does nothing once the program has ended. Windows has no
   * signals: SIGTERM and SIGKILL kill the program and its descendants, and
   * others do nothing.
   */
  signal(name: NodeJS.Signals): void;
  descendants(): Descendants;
  /** Pipes with `isPiped`; `null` when the program could not be started. */
  stdout: Readable | null;
  stderr: Readable | null;
}

/**
 * Starts a program with the stdin and terminal of this process. Until it has
 * ended, signals to this process are forwarded to it, once, and don't end this
 * process.
 *
 * @throws UsageError for a variable that no environment can hold, or an
 *   argument that can't be passed to the program
 */
export function startChild(
  command: ProgramLine,
  env: ChildEnvironment,
  starter: ParentProcess,
  { isPiped, endsDescendants, windows }: ChildOptions,
): Child {
  refuseNul(env);
  warnOfLostBytes(command, env, starter);
  const program = prepareCommand(command, env, windows);
  const detached = !windows && HAS_OWN_GROUP;
  let forwarded: NodeJS.Signals | undefined;
  const forward = withoutRepeats((name) => {
    // A terminal signals the whole group, and so a program that shares it.
    if (group && (name === "SIGINT" || name === "SIGQUIT"))
      return void (isRunning() && group.signal(name));
    if (comesFromTerminal(name, starter.platform)) return;
    forwarded = name;
    signal(name);
  });
  // A signal that arrives during the start is delivered after this function has
  // returned.
  const release = catchSignals(forward, detached);
  const output = isPiped ? "pipe" : "inherit";
  const [child, ended] = spawnCommand(program, { env, stdio: [STDIN, output, output], detached });
  const group = detached && child?.pid ? programGroup(child.pid) : undefined;
  // Once the program has ended, another process may have its id.
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => {
    if (!windows) child?.kill(name);
    else if (child && isRunning() && (name === "SIGTERM" || name === "SIGKILL"))
      windows.killTree(child, starter.env);
  };
  child?.once("exit", (_code, by) => {
    group?.release();
    // A shell, for example, does not pass the signal on to its children.
    if (by && by === forwarded && !endsDescendants) group?.signal(by);
  });
  const exitCode = ended.catch(async (error) => {
    const { startError } = await import("./start-failure.js");
    throw startError(error, command, env, starter.platform);
  });
  return {
    exitCode: exitCode.finally(release),
    signal,
    descendants: () => descendantsOf(isRunning() ? child?.pid : undefined),
    stdout: child?.stdout ?? null,
    stderr: child?.stderr ?? null,
  };
}

/**
 * Controls a program's process group. Until `release`, Ctrl-Z stops it with
 * this process, and `fg` continues it.
 */
function programGroup(first: number) {
  let timer: NodeJS.Timeout | undefined;
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-first, name);
    } catch {
      // The group has ended, or runs as another user.
    }
  };
  const stop = () => {
    signal("SIGTSTP");
    // After its handler: without one, the kernel ignores SIGTSTP, since the
    // program has no parent in its session.
    timer = setTimeout(() => {
      signal("SIGSTOP");
      process.kill(process.pid, "SIGSTOP");
    }, 100);
  };
  const proceed = () => {
    clearTimeout(timer);
    signal("SIGCONT");
  };
  process.on("SIGTSTP", stop).on("SIGCONT", proceed);
  const release = () => {
    clearTimeout(timer);
    process.off("SIGTSTP", stop).off("SIGCONT", proceed);
  };
  return { signal, release };
}

/**
 * Drops the second signal of timeout(1), which it sends to the group. Never
 * drops SIGHUP, which may ask for a reload.
 */
function withoutRepeats(forward: (name: NodeJS.Signals) => void): (name: NodeJS.Signals) => void {
  let [last, lastAt] = ["", 0];
  return (name) => {
    if (name !== last || performance.now() - lastAt >= 100 || !/TERM|INT|QUIT/.test(name))
      forward(name);
    [last, lastAt] = [name, performance.now()];
  };
}

/**
 * Spawns a program. The promise rejects if it can't be started, whether Node
 * throws or emits the error.
 */
function spawnCommand(
  { command, args, windowsVerbatimArguments }: PreparedCommand,
  settings: Pick<SpawnOptions, "env" | "stdio" | "detached">,
): [ChildProcess | undefined, Promise<number>] {
  try {
    const child = spawn(command, args, { ...settings, windowsVerbatimArguments });
    const ended = new Promise<number>((resolve, reject) => {
      // A signal without permission, for example to a set-user-id program, is
      // also an error event.
      child.on("error", (error) => child.pid === undefined && reject(error));
      child.once("exit", (code, signal) =>
        resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
      );
    });
    return [child, ended];
  } catch (error) {
    return [undefined, Promise.reject(error)];
  }
}
