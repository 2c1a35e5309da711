import type { Child } from "./child.js";
import { type Descendants, endDescendants, GRACE_MS } from "./process-tree.js";
import { catchSignals, isStopSignal } from "./signals.js";

/**
 * Keeps one program at a time running. A signal that asks this process to end
 * drops a restart under way, and the descendants of the program end after it.
 * Until then, signals do not end this process.
 */
export function supervise<T>(
  first: T,
  start: (values: T) => Pick<Child, "exitCode" | "signal" | "descendants">,
) {
  let pending: { next: T } | undefined;
  let isStopping = false;
  let descendants: Descendants | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  // Called before the program gets the signal: once it has exited, nothing
  // shows whose children its descendants were.
  const release = catchSignals((name) => {
    if (!isStopSignal(name)) return;
    pending = undefined;
    descendants ??= child.descendants();
    // A program may handle the others, as an interpreter does with Ctrl-C, and
    // keep running; then restarts continue too.
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
    /** Resolves to the exit code once the program is not to be restarted. */
    exitCode: run().finally(release),
    /**
     * Ends the program and its descendants, which might keep its port, and
     * starts it with `next`. Of several calls before they have ended, the last
     * one counts.
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
