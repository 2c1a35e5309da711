import type { Child } from "./child.js";
import { type Descendants, untilGone } from "./process-tree.js";
import type { Schedule } from "./schedule.js";
import { type CaughtSignal, isStopSignal } from "./signals.js";

/** How long a program, and what it has started, may take to end before it is killed. */
export const GRACE_MS = 10_000;

export interface Supervisor<T> {
  /** Resolves to the exit code of the program that was not ended to be started anew. */
  exitCode: Promise<number>;
  /**
   * Ends the program and all its descendants, which else would keep its port, and starts it again with something
   * else; the last call before they have ended counts.
   */
  restart(next: T): void;
  signal(name: NodeJS.Signals): void;
  /** To be told of the signals to this process, which the program gets anyway: none starts a program again. */
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
  let ending: { rest: Descendants; callOffKill: () => void } | undefined;

  const run = async (): Promise<number> => {
    for (;;) {
      const exitCode = await child.exitCode;
      if (ending) await untilGone(ending.rest, schedule);
      ending?.callOffKill();
      ending = undefined;
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
      if (ending) return;
      // Looked for first: once the program has ended, nothing tells whose they were.
      const rest = child.descendants();
      const signalAll = (name: NodeJS.Signals) => {
        // A shell would go on with its next command, had what it waits for ended before.
        child.signal(name);
        rest.signal(name);
      };
      ending = { rest, callOffKill: schedule(() => signalAll("SIGKILL"), GRACE_MS) };
      signalAll("SIGTERM");
    },
    signal: (name) => child.signal(name),
    onSignal(name) {
      if (isStopSignal(name)) pending = undefined;
      // The others may be handled by the program, as an interpreter does with Ctrl-C: it goes on, and so do restarts.
      if (name === "SIGTERM") isStopping = true;
    },
  };
}
