import { constants } from "node:os";
import type { Io } from "../output/io.js";
import { endProcess, isTerminalClosed } from "./end-process.js";

/** Ctrl-Break is a signal of Windows alone. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGBREAK"] as const;
const ENDING_SIGNALS = [...STOP_SIGNALS, "SIGHUP"] as const;

/** Process 1 of a container gets only signals that it handles: this ends it on those that nothing else handles. */
export function endBySignals(): void {
  const end = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) endProcess(128 + constants.signals[signal]);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, end);
}

/** Ends this process as the signal would. */
export function endBySignal(name: NodeJS.Signals): void {
  // Windows can't send itself most of the signals that it has, and process 1 none.
  if (process.platform === "win32" || process.pid === 1) endProcess(128 + constants.signals[name]);
  process.kill(process.pid, name);
}

/**
 * Runs `work`, and aborts it when this process is asked to end. Once `work` has cleaned up, the process ends by the
 * signal it received, so that its parent sees no difference. The same signal again ends it immediately. A signal that
 * already has a listener is not caught.
 */
export async function cleanUpBeforeEnd<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const signals = ENDING_SIGNALS.filter((signal) => process.listenerCount(signal) === (process.pid === 1 ? 1 : 0));
  const onSignal = (signal: NodeJS.Signals) => {
    received ??= signal;
    process.off(signal, onSignal);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    if (received) endBySignal(received);
  }
}

/** `untilStopped` of {@link Io} for this process. Another signal ends it immediately. */
export function untilStopped(phase: Parameters<Io["untilStopped"]>[0]): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // Nothing is open yet, and its wait may take long.
      if (phase.isStarting) endProcess(0, true);
      resolve();
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      process.off("SIGHUP", onHangUp);
    };
    // Closing a terminal's window is meant to end its programs. The terminal is already closed by then.
    const onHangUp = () => {
      if (process.platform === "win32" || isTerminalClosed()) stop();
      else phase.reload();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    process.on("SIGHUP", onHangUp);
  });
}
