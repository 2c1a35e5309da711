import { type ChildEnvironment, type ChildOptions, type Command, comesFromTerminal, startChild } from "./child.js";
import { type Descendants, endRest } from "./process-tree.js";
import { schedule } from "./schedule.js";
import { type CaughtSignal, catchSignals, isStopSignal } from "./signals.js";
import { startWatchdog } from "./watchdog.js";

/** Whether it is a terminal's signal, which is for a whole group of processes, but has not come from one. */
function isForGroup(name: CaughtSignal): boolean {
  return (name === "SIGINT" || name === "SIGQUIT") && !comesFromTerminal(name);
}

/**
 * Runs a program to its end. What asks us to end ends also what the program has started, once it has ended itself.
 *
 * @returns its exit code, as Child has it
 */
export async function runWhole(
  command: Command,
  env: ChildEnvironment,
  onFailure: ChildOptions["onFailure"],
): Promise<number> {
  const watchdog = startWatchdog(env["PATH"]);
  let rest: Descendants | undefined;
  try {
    const onSignal = (name: CaughtSignal) => {
      if (!isStopSignal(name)) return;
      // Looked for before it can end: then nothing tells any more whose they were.
      const family = child.descendants();
      rest = family;
      // As a terminal would, and after the program has got it: a shell waits for what it has started to obey first.
      if (isForGroup(name)) setImmediate(() => family.signal(name));
    };
    const child = startChild(command, env, { onFailure, onSignal });
    watchdog.watch(child.pid);
    return await child.exitCode;
  } finally {
    // Another signal doesn't end us before.
    const release = catchSignals(() => {});
    await Promise.all([watchdog.end(), rest && endRest(rest, schedule)]);
    release();
  }
}
