import type { Child } from "./child.js";
import { type CaughtSignal, isStopSignal } from "./signals.js";

/** How long a program may take to end before it is killed. */
export const GRACE_MS = 10_000;

export interface Supervisor<T> {
  /** Resolves to the exit code of the program that was not ended to be started anew. */
  exitCode: Promise<number>;
  /** Ends the program and starts it again with something else; the last call before it has ended counts. */
  restart(next: T): void;
  signal(name: NodeJS.Signals): void;
  /** To be told of the signals to this process, which the program gets anyway: none starts a program again. */
  onSignal(name: CaughtSignal): void;
}

/**
 * Keeps one program at a time running.
 *
 * @param schedule calls back after so many milliseconds; returns how to call that off
 */
export function supervise<T>(
  first: T,
  start: (what: T) => Pick<Child, "exitCode" | "signal">,
  schedule: (callback: () => void, milliseconds: number) => () => void,
): Supervisor<T> {
  let child = start(first);
  let pending: { next: T } | undefined;
  let isStopping = false;
  let callOffKill: (() => void) | undefined;

  const run = async (): Promise<number> => {
    for (;;) {
      const exitCode = await child.exitCode;
      callOffKill?.();
      callOffKill = undefined;
      if (!pending) return exitCode;
      const { next } = pending;
      pending = undefined;
      child = start(next);
    }
  };

  return {
    exitCode: run(),
    restart(next) {
      if (isStopping) return;
      pending = { next };
      if (callOffKill) return;
      const ending = child;
      callOffKill = schedule(() => ending.signal("SIGKILL"), GRACE_MS);
      ending.signal("SIGTERM");
    },
    signal: (name) => child.signal(name),
    onSignal(name) {
      if (isStopSignal(name)) pending = undefined;
      // The others may be handled by the program, as an interpreter does with Ctrl-C: it goes on, and so do restarts.
      if (name === "SIGTERM") isStopping = true;
    },
  };
}
