import type { Child } from "./child.js";
import { type Descendants, endDescendants, GRACE_MS } from "./process-tree.js";
import { type CaughtSignal, isStopSignal } from "./signals.js";

export interface Supervisor<T> {
  /** Resolves to the exit code of the program once it has ended and is not to be restarted. */
  exitCode: Promise<number>;
  /**
   * Ends the program and its descendants, which might keep its port, and starts it with `next`. Of several calls
   * before they have ended, the last one counts.
   */
  restart(next: T): void;
  signal(name: NodeJS.Signals): void;
  /** Must be called for each signal to this process before the program gets it: none leads to a restart. */
  onSignal(name: CaughtSignal): void;
}

/** Keeps one program at a time running. */
export function supervise<T>(
  first: T,
  start: (what: T) => Pick<Child, "exitCode" | "signal" | "descendants">,
): Supervisor<T> {
  let child = start(first);
  let pending: { next: T } | undefined;
  let isStopping = false;
  let descendants: Descendants | undefined;
  let killTimer: NodeJS.Timeout | undefined;

  const run = async (): Promise<number> => {
    for (;;) {
      const exitCode = await child.exitCode;
      clearTimeout(killTimer);
      if (descendants) await endDescendants(descendants);
      descendants = killTimer = undefined;
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
      if (killTimer) return;
      // Looked up before the program can exit: afterwards nothing shows whose children they were.
      descendants = child.descendants();
      const ending = child;
      killTimer = setTimeout(() => ending.signal("SIGKILL"), GRACE_MS);
      child.signal("SIGTERM");
    },
    signal: (name) => child.signal(name),
    onSignal(name) {
      if (!isStopSignal(name)) return;
      pending = undefined;
      descendants ??= child.descendants();
      // A program may handle the others, as an interpreter does with Ctrl-C, and keep running; then restarts continue too.
      if (name === "SIGTERM") isStopping = true;
    },
  };
}
