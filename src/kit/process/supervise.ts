import type { Child } from "./child.js";
import { type Descendants, endDescendants, GRACE_MS } from "./process-tree.js";
import { catchSignals, isStopSignal } from "./signals.js";

/**
 * Keeps one program running, and restarts it. A signal that asks this process
 * to end cancels a pending restart; after the program, its descendants are
 * ended. Until then, signals don't end this process.
 */
export function supervise<T>(
  first: T,
  start: (values: T) => Pick<Child, "exitCode" | "signal" | "descendants">,
) {
  let pending: { next: T } | undefined;
  let isStopping = false;
  let descendants: Descendants | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  // Called before the program gets the signal: after its exit, its descendants
  // can't be found.
  const release = catchSignals((name) => {
    if (!isStopSignal(name)) return;
    pending = undefined;
    descendants ??= child.descendants();
    // A program may handle the other signals, as an interpreter handles Ctrl-C,
    // and keep running. Then restarts continue, too.
    if (name === "SIGTERM") isStopping = true;
  });
  let child = start(first);
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
    /** Resolves to the exit code when the program has ended for good. */
    exitCode: run().finally(release),
    /**
     * Ends the program and its descendants, which might keep its port, and
     * starts it with `next`. If there are several calls before they have ended,
     * the last one counts.
     */
    restart(next: T): void {
      if (isStopping) return;
      pending = { next };
      if (killTimer) return;
      descendants = child.descendants();
      const ending = child;
      killTimer = setTimeout(() => ending.signal("SIGKILL"), GRACE_MS);
      child.signal("SIGTERM");
    },
    signal: (name: NodeJS.Signals) => child.signal(name),
  };
}
