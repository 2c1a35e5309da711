import type { Child } from "./child.js";
import { type Descendants, endRest, GRACE_MS } from "./process-tree.js";
import type { Schedule } from "./schedule.js";
import { type CaughtSignal, isStopSignal } from "./signals.js";

export interface Supervisor<T> {
  /** Resolves to the exit code of the program that was not ended to be started anew. */
  exitCode: Promise<number>;
  /**
   * Ends the program and all its descendants, which else would keep its port, and starts it again with something
   * else; the last call before they have ended counts.
   */
  restart(next: T): void;
  signal(name: NodeJS.Signals): void;
  /** To be told of the signals to this process before the program gets them: none starts a program again. */
  onSignal(name: CaughtSignal): void;
}

/** Keeps one program at a time running. */
export function supervise<T>(
  first: T,
  start: (what: T) => Pick<Child, "exitCode" | "signal" | "descendants">,
  schedule: Schedule,
): Supervisor<T> {
  let child = start(first);
  let pending: { next: T } | undefined;
  let isStopping = false;
  let rest: Descendants | undefined;
  let callOffKill: (() => void) | undefined;

  const run = async (): Promise<number> => {
    for (;;) {
      const exitCode = await child.exitCode;
      callOffKill?.();
      if (rest) await endRest(rest, schedule);
      rest = callOffKill = undefined;
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
      // Looked for before it can end: then nothing tells any more whose they were.
      rest = child.descendants();
      const ending = child;
      callOffKill = schedule(() => ending.signal("SIGKILL"), GRACE_MS);
      child.signal("SIGTERM");
    },
    signal: (name) => child.signal(name),
    onSignal(name) {
      if (!isStopSignal(name)) return;
      pending = undefined;
      rest ??= child.descendants();
      // The others may be handled by the program, as an interpreter does with Ctrl-C: it goes on, and so do restarts.
      if (name === "SIGTERM") isStopping = true;
    },
  };
}
