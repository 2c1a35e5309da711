import { isatty } from "node:tty";
import { readProcessStat } from "../../files/process-stat.js";

/**
 * SIGWINCH, SIGTSTP and SIGCONT are left out: in the foreground, a terminal sends them to the whole process group.
 * SIGBREAK is Ctrl-Break on Windows, which has only that, SIGINT and SIGHUP.
 */
const CAUGHT_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGBREAK"] as const;

export type CaughtSignal = (typeof CAUGHT_SIGNALS)[number];

/** Whether it asks a program to end. A program may still use it for something else. */
export function isStopSignal(name: CaughtSignal): boolean {
  return name !== "SIGUSR1" && name !== "SIGUSR2";
}

let isTerminated = false;

/** Whether SIGTERM arrived while signals were caught. Ctrl-C does not count: a program may use it for something else. */
export function wasTerminated(): boolean {
  return isTerminated;
}

/**
 * Passes each signal to `listener` instead of letting it end this process or, for SIGUSR1, open Node's debugger.
 *
 * @returns restores the default action of each signal
 */
export function catchSignals(listener: (signal: CaughtSignal) => void): () => void {
  const caught = (signal: CaughtSignal) => {
    isTerminated ||= signal === "SIGTERM";
    listener(signal);
  };
  for (const signal of CAUGHT_SIGNALS) process.on(signal, caught);
  return () => {
    for (const signal of CAUGHT_SIGNALS) process.off(signal, caught);
  };
}

/**
 * Whether this process is in the foreground of its terminal, which then sends Ctrl-C and Ctrl-\ to its children too. A
 * `kill -INT` of a process in the foreground looks the same: nothing says who sent a signal.
 */
export function isInForeground(stat = readProcessStat("self")): boolean {
  return stat ? stat.group === stat.foregroundGroup : [0, 1, 2].some((fd) => isatty(fd));
}

/** Whether a terminal has sent this to a program in our process group too. Windows has only signals of the console. */
export function comesFromTerminal(name: CaughtSignal, platform: NodeJS.Platform): boolean {
  if (platform === "win32") return true;
  return (name === "SIGINT" || name === "SIGQUIT") && isInForeground();
}
