import { type ChildEnvironment, type ChildOptions, type Command, startChild } from "./child.js";
import { type Descendants, untilGone } from "./process-tree.js";
import { schedule } from "./schedule.js";
import { type CaughtSignal, catchSignals, isStopSignal } from "./signals.js";
import { GRACE_MS } from "./supervise.js";
import { startWatchdog } from "./watchdog.js";

/**
 * Runs a program to its end. What asks us to end reaches also what the program has started, and nothing of that is
 * left afterwards.
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
    const forward = (name: CaughtSignal) => {
      // Looked for first: once the program has ended, nothing tells whose they were.
      if (isStopSignal(name)) rest ??= child.descendants();
      child.signal(name);
      if (isStopSignal(name)) rest?.signal(name);
    };
    const child = startChild(command, env, { onFailure, forward });
    watchdog.watch(child.pid);
    return await child.exitCode;
  } finally {
    await Promise.all([watchdog.end(), rest && end(rest)]);
  }
}

/** Waits for what the signal was sent to already. Another one of the same kind doesn't end us before. */
async function end(rest: Descendants): Promise<void> {
  const release = catchSignals((name) => isStopSignal(name) && rest.signal(name));
  const callOffKill = schedule(() => rest.signal("SIGKILL"), GRACE_MS);
  await untilGone(rest, schedule);
  callOffKill();
  release();
}
