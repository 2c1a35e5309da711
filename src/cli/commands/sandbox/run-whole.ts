import { rm, writeFile } from "node:fs/promises";
import type { Context } from "../../output/context.js";
import {
  type ChildEnvironment,
  type CommandLine,
  comesFromTerminal,
  loadWindows,
  startChild,
} from "../../processes/child.js";
import { type Descendants, endDescendants } from "../../processes/process-tree.js";
import { type CaughtSignal, catchSignals, isStopSignal } from "../../processes/signals.js";
import { startWatchdog } from "./watchdog.js";

/**
 * Runs a program until it has ended. A signal that asks us to end also ends the descendants of the program, once the
 * program itself has ended.
 *
 * @param file a file that exists, readable only by its owner, while they run
 * @returns its exit code, as `Child` has it
 */
export async function runWhole(
  command: CommandLine,
  env: ChildEnvironment,
  context: Context,
  file?: { path: string; text: string },
): Promise<number> {
  const { platform } = context.io;
  const windows = await loadWindows(platform);
  const watchdog = startWatchdog(env, platform, file?.path);
  let descendants: Descendants | undefined;
  try {
    if (file) await writeFile(file.path, file.text, { mode: 0o600, flag: "wx" });
    const onSignal = (name: CaughtSignal) => {
      if (!isStopSignal(name)) return;
      // Looked up before the program can exit: afterwards nothing shows whose children they were.
      const family = child.descendants();
      descendants = family;
      // After the program has it, as from a terminal: a shell first waits for its children to obey.
      if (isForGroup(name, platform)) setImmediate(() => family.signal(name));
    };
    const child = startChild(command, env, context, { onSignal, windows });
    watchdog.watch(child.pid);
    return await child.exitCode;
  } finally {
    // Another signal must not end us before this is done.
    const release = catchSignals(() => {});
    if (descendants) await endDescendants(descendants);
    if (file) await rm(file.path, { force: true });
    await watchdog.end();
    release();
  }
}

/** Whether it is a signal that terminals send to a whole process group, but this one was not sent by a terminal. */
function isForGroup(name: CaughtSignal, platform: NodeJS.Platform): boolean {
  return (name === "SIGINT" || name === "SIGQUIT") && !comesFromTerminal(name, platform);
}
