import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { type Descendants, descendantsOf } from "./process-tree.js";
import {
  type ChildEnvironment,
  type ProgramLine,
  refuseNul,
  type Starter,
  warnOfLostBytes,
} from "./program.js";
import { catchSignals, comesFromTerminal, isInForeground } from "./signals.js";
import { readProcessStat } from "./this-process.js";
import type { PreparedCommand } from "./windows-program.js";

type Windows = typeof import("./windows-program.js");

/** Resolves to `undefined` on other systems. */
export async function loadWindows(platform: NodeJS.Platform): Promise<Windows | undefined> {
  return platform === "win32" ? import("./windows-program.js") : undefined;
}

/**
 * The program for the system to start.
 *
 * @throws UsageError for an argument that the program can't get
 */
export function prepared(
  command: ProgramLine,
  env: ChildEnvironment,
  windows: Windows | undefined,
): PreparedCommand {
  const [program, ...args] = command;
  return windows?.prepareProgram(command, env) ?? { command: program, args };
}

// Read at the start: a shell can move this process to the background or to the
// foreground later.
const stat = readProcessStat("self");
const isForeground = isInForeground(stat);

/**
 * Whether programs get a process group of their own, so that signals to our
 * group reach them only through us. In the foreground of a terminal they have
 * ours, since a program in another group can't use the terminal, unless
 * timeout(1) runs us: it signals us, and then its group.
 */
const HAS_OWN_GROUP =
  !isForeground || (stat !== undefined && readProcessStat(stat.group)?.name === "timeout");

/**
 * The stdin of programs: in the background, a program would take input that is
 * for the shell.
 */
const STDIN = !isForeground && isatty(0) ? "ignore" : "inherit";

export interface ChildOptions {
  /** Whether stdout and stderr are pipes. By default the program has ours. */
  isPiped?: boolean;
  /**
   * Whether the caller ends its descendants. By default, they get the signal
   * that has ended it.
   */
  endsDescendants?: boolean;
  /** What {@link loadWindows} has loaded. */
  windows?: Windows | undefined;
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
  /** The processes that the program has started so far. */
  descendants(): Descendants;
  /** Pipes with `isPiped`; `null` when the program could not be started. */
  stdout: Readable | null;
  stderr: Readable | null;
}

/**
 * Starts a program with our stdin and terminal. Until it has ended, signals to
 * this process are forwarded to it, once, and do not end us.
 *
 * @throws UsageError for a variable that no environment can hold, or an
 *   argument that the program can't get
 */
export function startChild(
  command: ProgramLine,
  env: ChildEnvironment,
  starter: Starter,
  { isPiped, endsDescendants, windows }: ChildOptions,
): Child {
  refuseNul(env);
  warnOfLostBytes(command, env, starter);
  const program = prepared(command, env, windows);
  const detached = !windows && HAS_OWN_GROUP;
  let forwarded: NodeJS.Signals | undefined;
  const forward = withoutRepeats((name) => {
    // A terminal signals the whole group, and reaches the program itself if its
    // group is ours.
    if (group && (name === "SIGINT" || name === "SIGQUIT"))
      return void (isRunning() && group.signal(name));
    if (comesFromTerminal(name, starter.platform)) return;
    forwarded = name;
    signal(name);
  });
  // A signal that arrives during the start is delivered once this function has
  // returned.
  const release = catchSignals(forward, detached);
  const output = isPiped ? "pipe" : "inherit";
  const [child, ended] = spawnCommand(program, { env, stdio: [STDIN, output, output], detached });
  const group = detached && child?.pid ? programGroup(child.pid) : undefined;
  // Once the program has ended, its id may be another's.
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => {
    if (!windows) child?.kill(name);
    else if (child && isRunning() && (name === "SIGTERM" || name === "SIGKILL"))
      windows.killTree(child, starter.env);
  };
  child?.once("exit", (_code, by) => {
    group?.release();
    // A shell, for example, does not pass it on to its children.
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
 * The process group of a program in which it is the first. Until `release`,
 * Ctrl-Z stops it with us, and `fg` continues it.
 */
function programGroup(first: number) {
  let timer: NodeJS.Timeout | undefined;
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-first, name);
    } catch {
      // Nothing is left of it, or it runs as another user.
    }
  };
  const stop = () => {
    signal("SIGTSTP");
    // After its handler: without one, the kernel ignores it, since the program
    // has no parent in its session.
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
 * Drops the second of two signals of timeout(1), which goes to our group. Not
 * SIGHUP, which may ask for a reload.
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
 * The promise rejects if the program can't be started: Node throws or emits the
 * error.
 */
function spawnCommand(
  { command, args, windowsVerbatimArguments }: PreparedCommand,
  settings: Pick<SpawnOptions, "env" | "stdio" | "detached">,
): [ChildProcess | undefined, Promise<number>] {
  try {
    const child = spawn(command, args, { ...settings, windowsVerbatimArguments });
    const ended = new Promise<number>((resolve, reject) => {
      // A signal that may not be sent, to a set-user-id program for example, is
      // an error event too.
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
