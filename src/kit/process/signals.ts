import { constants } from "node:os";
import { isatty } from "node:tty";
import { readProcessStat } from "./this-process.js";

const MAX_UNREAD_MS = 500;

/**
 * SIGWINCH, SIGTSTP and SIGCONT are left out: in the foreground, a terminal
 * sends them to the whole process group. Windows has only SIGBREAK
 * (Ctrl-Break), SIGINT and SIGHUP.
 */
const CAUGHT_SIGNALS: NodeJS.Signals[] = [
  "SIGTERM",
  "SIGINT",
  "SIGHUP",
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGBREAK",
];

/**
 * Signals that are not forwarded: aliases, signals that can't be caught or have
 * other listeners, and signals for faults, failed writes, ended children and
 * V8's profiler.
 */
const OTHER_SIGNALS = /^SIG(IOT|POLL|KILL|STOP|TSTP|CONT|ILL|BUS|FPE|SEGV|PIPE|XFSZ|CHLD|PROF)$/;

function forwardedSignals(): NodeJS.Signals[] {
  return (Object.keys(constants.signals) as NodeJS.Signals[]).filter(
    // With `stty tostop`, the kernel repeats SIGTTOU until the writer stops.
    (name) => !OTHER_SIGNALS.test(name) && (name !== "SIGTTOU" || ![1, 2].some(isatty)),
  );
}

/** Whether a signal usually asks a program to end. */
export function isStopSignal(name: NodeJS.Signals): boolean {
  return !name.startsWith("SIGUSR");
}

/**
 * Whether SIGTERM was caught. Ctrl-C doesn't count, since a program may use it
 * for something else.
 */
export let gotSigterm = false;

/**
 * Passes each signal to `listener`. Otherwise, it would end this process or, as
 * SIGUSR1, open Node's debugger.
 *
 * @param all whether to catch every signal that a program in a separate group
 *   would miss
 * @returns a function that restores the default actions
 */
export function catchSignals(listener: (signal: NodeJS.Signals) => void, all = false): () => void {
  const caught = (signal: NodeJS.Signals) => {
    gotSigterm ||= signal === "SIGTERM";
    listener(signal);
  };
  const signals = all ? forwardedSignals() : CAUGHT_SIGNALS;
  for (const signal of signals) process.on(signal, caught);
  return () => {
    for (const signal of signals) process.off(signal, caught);
  };
}

/**
 * Whether this process is in the foreground of its terminal, which then also
 * sends Ctrl-C and Ctrl-\ to its children. A `kill -INT` of a process in the
 * foreground looks the same, since the sender of a signal is unknown.
 */
export function isInForeground(stat = readProcessStat("self")): boolean {
  return stat ? stat.group === stat.foregroundGroup : [0, 1, 2].some((fd) => isatty(fd));
}

/**
 * Whether a terminal has sent this signal to the whole process group. On
 * Windows, always.
 */
export function comesFromTerminal(name: NodeJS.Signals, platform: NodeJS.Platform): boolean {
  if (platform === "win32") return true;
  return (name === "SIGINT" || name === "SIGQUIT") && isInForeground();
}

/** The streams that were terminals at the start; they may be closed now. */
const terminals = [0, 1, 2].filter(isatty);

/** SIGBREAK, Ctrl-Break, only exists on Windows. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGBREAK"] as const;
const ENDING_SIGNALS = [...STOP_SIGNALS, "SIGHUP"] as const;

/**
 * Ends process 1 of a container on signals that nothing else handles. Without a
 * handler, it would ignore them.
 */
export function endBySignals(): void {
  const end = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) endProcess(128 + constants.signals[signal]);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, end);
}

/** Ends this process as the signal would. */
export function endBySignal(name: NodeJS.Signals): void {
  // On Windows, a process can't send itself most signals; process 1 can't send
  // itself any.
  if (process.platform === "win32" || process.pid === 1) endProcess(128 + constants.signals[name]);
  process.kill(process.pid, name);
}

/**
 * Runs `work`, and aborts it when this process is asked to end. Once `work` has
 * cleaned up, the process ends by the received signal, so that its parent sees
 * no difference. A second signal of the same kind ends it immediately. A signal
 * that already has a listener is not caught.
 */
export async function abortOnSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    received ??= signal;
    process.off(signal, onSignal);
    controller.abort();
  };
  // Process 1 already has the listener of endBySignals.
  const others = process.pid === 1 ? 1 : 0;
  for (const signal of ENDING_SIGNALS)
    if (process.listenerCount(signal) === others) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    if (received) endBySignal(received);
  }
}

export interface StopPhase {
  /** While true, the process ends immediately instead, with exit code 0. */
  isStarting: boolean;
  /** Called for a SIGHUP that does not end the process. */
  reload: () => void;
}

/**
 * Resolves when the process should stop: on SIGTERM, on Ctrl-C or Ctrl-Break,
 * or on SIGHUP from a closed terminal. Another signal then ends it immediately.
 */
export function untilStopped(phase: StopPhase): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // Nothing is open yet, and the start may take long.
      if (phase.isStarting) endProcess(0);
      resolve();
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      process.off("SIGHUP", onHangUp);
    };
    // A user who closes a terminal's window expects its programs to end. At
    // this point, the terminal is already closed.
    const onHangUp = () => {
      if (process.platform === "win32" || !terminals.every(isatty)) stop();
      else phase.reload();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    process.on("SIGHUP", onHangUp);
  });
}

/** Replaces the program of this process, as execve(2) does. */
export type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** Node's execve, since Node 22.15 and 23.11. On Windows, it always throws. */
export const execve =
  process.platform === "win32" ? undefined : (process as { execve?: Execve }).execve;

/** Ends the process, by SIGHUP if its terminal has been closed. */
export function endProcess(code: number): never {
  hangUpIfTerminalClosed(code);
  process.exit(code);
}

/**
 * Ends the process by SIGHUP if its terminal has been closed. In a normal exit,
 * Node would reset the terminal, and abort with a core dump.
 */
export function hangUpIfTerminalClosed(code: number): void {
  if (process.platform === "win32" || terminals.every(isatty)) return;
  // Dying by a signal skips exit listeners, and would leave files and child
  // processes behind.
  process.emit("exit", code);
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}

/**
 * Ends the process without waiting for readers of its output. Called when all
 * work is done.
 */
export function exitSoon(): void {
  // Otherwise, the process ends before this timer.
  setTimeout(() => endProcess(Number(process.exitCode ?? 1)), MAX_UNREAD_MS).unref();
}
