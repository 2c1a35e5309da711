import { rm, writeFile } from "node:fs/promises";
import type { Context } from "../../output/context.js";
import { type ChildEnvironment, type CommandLine, loadWindows, startChild } from "../../processes/child.js";
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
      descendants ??= child.descendants();
    };
    const child = startChild(command, env, context, { onSignal, endsDescendants: true, windows });
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
