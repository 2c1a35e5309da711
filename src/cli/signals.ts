import { readFileSync } from "node:fs";
import { isatty } from "node:tty";

/** What asks a program to do something. SIGWINCH, SIGTSTP and SIGCONT are between the terminal and the process group. */
const CAUGHT_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

export type CaughtSignal = (typeof CAUGHT_SIGNALS)[number];

/** Whether it asks a program to end, unless the program has another use for it. */
export function isStopSignal(name: CaughtSignal): boolean {
  return name !== "SIGUSR1" && name !== "SIGUSR2";
}

/**
 * Hands each signal to `listener` instead of letting it end this process, or, for SIGUSR1, open Node's debugger.
 *
 * @returns stops it: from then on each signal does what it does by default
 */
export function catchSignals(listener: (signal: CaughtSignal) => void): () => void {
  for (const signal of CAUGHT_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of CAUGHT_SIGNALS) process.off(signal, listener);
  };
}

/**
 * Whether a terminal sends Ctrl-C and Ctrl-\ to this process's group, and so to its children themselves. What cannot
 * be known is who sent one signal: a `kill -INT` of a process in the foreground looks the same.
 */
export function isInForeground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // proc_pid_stat(5); the program's name stands in parentheses and may hold spaces and parentheses itself.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    return [0, 1, 2].some((fd) => isatty(fd));
  }
}
