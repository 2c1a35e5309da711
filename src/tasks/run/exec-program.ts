import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ChildEnvironment,
  type ProgramLine,
  warnOfLostBytes,
} from "../../kit/process/program.js";
import type { Execve } from "../../kit/process/signals.js";
import { findProgram, startError } from "../../kit/process/start-failure.js";
import { UsageError } from "../../kit/text/errors.js";
import type { RunCaller } from "./prepare-variables.js";

/** The longest wait for a reader of our last notes. */
const MAX_UNREAD_MS = 500;

/** @throws UsageError if Node can't replace this process */
export function requireExecve(platform: NodeJS.Platform, execve: Execve | undefined): Execve {
  if (platform === "win32") throw new UsageError("--exec can't be used on Windows");
  if (execve) return execve;
  throw new UsageError(
    `--exec needs Node 22.15, 23.11 or newer; this is Node ${process.versions.node}`,
  );
}

export async function execProgram(
  command: ProgramLine,
  env: ChildEnvironment,
  caller: RunCaller,
  execve: Execve,
): Promise<never> {
  const [program] = command;
  const { surroundings, io, warn } = caller;
  const { platform, env: own } = surroundings;
  const failure = (code: string) => startError({ code }, command, env, platform);
  warnOfLostBytes(command, env, { platform, env: own, warn });
  const executable = findProgram(program, env["PATH"]);
  if ("code" in executable) throw failure(executable.code);
  const [starter, words] = withStarter(command, executable.file);
  await Promise.race([written(io.stderr), sleep(MAX_UNREAD_MS, undefined, { ref: false })]);
  // Node ignores these signals, which the new program would inherit. A listener
  // gives them back their default action.
  process.on("SIGPIPE", () => {}).on("SIGXFSZ", () => {});
  // Node warns that `execve` is experimental, but only after it has returned.
  process.removeAllListeners("warning");
  try {
    return execve(starter, words, env);
  } catch (error) {
    throw failure((error as NodeJS.ErrnoException).code ?? "EIO");
  }
}

const ENV = "/usr/bin/env";

/**
 * Returns the file to execute, and its arguments: env(1), unless a container
 * has none. It also starts scripts without an interpreter, and reports a
 * failure where Node before 26 would abort.
 */
function withStarter(
  [program, ...args]: ProgramLine,
  file: string,
): [file: string, words: string[]] {
  // env(1) takes other names for a variable or for `-i`.
  const isName = !program.includes("=") && program !== "-";
  if (isName && "file" in findProgram(ENV)) return [ENV, ["env", "--", program, ...args]];
  return [file, [program, ...args]];
}

function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
