import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../cli/output/context.js";
import { writeRaw } from "../../cli/output/output.js";
import type { Execve } from "../../kit/process/end-process.js";
import { findProgram, reportStartFailure } from "../../kit/process/start-failure.js";
import { UsageError } from "../../kit/text/errors.js";
import { type ChildEnvironment, type ProgramLine, warnOfLostBytes } from "./child-environment.js";

/**
 * Replaces this process by a program, which has its process id, and its stdin, stdout and stderr.
 * Resolves only if the program can't be started: to the exit code, after a report on stderr, as
 * `startChild` has it.
 */
export type ExecProgram = (
  command: ProgramLine,
  env: ChildEnvironment,
  context: Context,
) => Promise<126 | 127>;

/** @throws UsageError if Node can't do that here */
export function execProgram(platform: NodeJS.Platform, execve: Execve | undefined): ExecProgram {
  if (platform === "win32") throw new UsageError("--exec can't be used on Windows");
  if (execve) return (command, env, context) => replaceProcess(command, env, context, execve);
  throw new UsageError(
    `--exec needs Node 22.15, 23.11 or newer; this is Node ${process.versions.node}`,
  );
}

/** Time for our last notes if they are not read. */
const MAX_UNREAD_MS = 500;

async function replaceProcess(
  command: ProgramLine,
  env: ChildEnvironment,
  context: Context,
  execve: Execve,
): Promise<126 | 127> {
  const [program] = command;
  const fail = (code: string) => reportStartFailure({ code }, command, env, context);
  warnOfLostBytes(command, env, context);
  const found = findProgram(program, env["PATH"]);
  if ("code" in found) return fail(found.code);
  const [starter, words] = withStarter(command, found.file);
  if (isTooLong(words, env)) return fail("E2BIG");
  await Promise.race([written(context), sleep(MAX_UNREAD_MS, undefined, { ref: false })]);
  makeStdioBlock();
  // Node ignores these, and the new program would inherit that. A signal with a listener gets its
  // default action back.
  process.on("SIGPIPE", () => {}).on("SIGXFSZ", () => {});
  // Node warns that the function is experimental, but only after it has returned.
  process.removeAllListeners("warning");
  try {
    return execve(starter, words, env);
  } catch (error) {
    return fail((error as NodeJS.ErrnoException).code ?? "EIO");
  }
}

const ENV = "/usr/bin/env";
const SH = "/bin/sh";

/**
 * The file to execute, and its arguments: env(1), which also starts scripts without an interpreter,
 * and reports a failure where Node before 26 would abort. A shell is second, since it changes the
 * environment; few containers have neither.
 */
function withStarter(
  [program, ...args]: ProgramLine,
  file: string,
): [file: string, words: string[]] {
  // It takes other names for a variable, and for `-i`.
  const isName = !program.includes("=") && program !== "-";
  if (isName && "file" in findProgram(ENV)) return [ENV, ["env", "--", program, ...args]];
  if ("file" in findProgram(SH)) return [SH, ["sh", "-c", 'exec "$0" "$@"', file, ...args]];
  return [file, [program, ...args]];
}

/** Every system has room for these. */
const SMALL_BYTES = 100_000;

/**
 * Whether the system refuses so many arguments and variables; its limits differ, so it is asked.
 */
function isTooLong(words: readonly string[], env: ChildEnvironment): boolean {
  const texts = [...words, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0) < SMALL_BYTES) return false;
  const { error } = spawnSync(process.execPath, ["--version", ...words], { env, stdio: "ignore" });
  return (error as NodeJS.ErrnoException | undefined)?.code === "E2BIG";
}

function written({ io }: Context): Promise<void> {
  return new Promise((resolve) => writeRaw(io.stderr, "", () => resolve()));
}

/**
 * Lets writes to pipes and sockets block again: Node changed that for everybody who has them, and a
 * program that wrote 2 MB to a slow reader failed with EAGAIN after 64 KB. Node has no function for
 * it, but does it whenever it starts a program. A folder can't be started, so this takes 3 ms.
 */
function makeStdioBlock(): void {
  spawnSync("/", { stdio: "inherit" });
}
