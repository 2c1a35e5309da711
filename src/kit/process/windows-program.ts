import { type ChildProcess, spawn } from "node:child_process";
import crossSpawn from "cross-spawn";
import { UsageError } from "../text/errors.js";
import { systemProgram } from "./program.js";

/** The command that starts a program: its name alone is not always enough. */
export interface PreparedCommand {
  command: string;
  args: readonly string[];
  windowsVerbatimArguments?: boolean | undefined;
}

type Env = Readonly<Record<string, string>>;

interface Parsed {
  command: string;
  args: string[];
  options: { windowsVerbatimArguments?: boolean };
  /** The file that was found in PATH, or at the path. */
  file: string | undefined;
}

/** A part of cross-spawn that execa also uses, and that has no types. */
const { _parse: parse } = crossSpawn as unknown as {
  _parse: (command: string, args: readonly string[], options: { env: Env }) => Parsed;
};

/**
 * Files of npm that pass their arguments on, as in cross-spawn, which escapes
 * them twice.
 */
const NPM_SHIM = /node_modules[\\/].bin[\\/][^\\/]+\.cmd$/i;

/**
 * Finds a program as cmd.exe does, by PATHEXT. A batch file such as npm.cmd is
 * run by cmd.exe, since Windows can't start it, and a file that begins with
 * `#!` by its interpreter.
 *
 * @returns the command unchanged if there is no such program
 * @throws UsageError for an argument that can't be passed to a batch file
 *   unchanged
 */
export function prepareProgram(
  [program, ...args]: readonly [string, ...string[]],
  env: Env,
): PreparedCommand {
  const parsed = parse(program, args, { env });
  const { file = "", command, options } = parsed;
  const isBatch = /\.(?:cmd|bat)$/i.test(file);
  if (isBatch) refuseInterpreted(file, args);
  // cmd.exe would open any other file in the program for its type, such as an
  // editor.
  if (file === "" || (options.windowsVerbatimArguments && !isBatch))
    return { command: program, args };
  return { command, args: parsed.args, windowsVerbatimArguments: options.windowsVerbatimArguments };
}

/**
 * cross-spawn escapes characters that cmd.exe interprets (CVE-2024-27980),
 * except for
 *
 * - a quote, which ends the quoting in the batch file itself, so that the rest
 *   can be a command;
 * - `%NAME:a=b%`, which is replaced before `^` escapes anything;
 * - a line break, which ends the command.
 */
function refuseInterpreted(file: string, args: readonly string[]): void {
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  let problem: string | undefined;
  if (!NPM_SHIM.test(file) && has(/"/)) problem = "a double quote";
  else if (/%[^%:]*:[^%]*%/.test(args.join(" ")))
    problem = "a % with a colon and another % after it";
  else if (has(/[\r\n]/)) problem = "a line break";
  if (problem === undefined) return;
  throw new UsageError(
    `${file} is a batch file, and an argument for it contains ${problem}, which cmd.exe would interpret: ` +
      "start what it starts, such as node, with these arguments",
  );
}

/**
 * Kills a running process with its descendants, which can't be found once it
 * has ended. On Windows, programs can't be asked to end.
 *
 * @param env the environment of this process
 */
export function killTree(
  root: Pick<ChildProcess, "pid" | "kill">,
  env: NodeJS.ProcessEnv,
  start: typeof spawn = spawn,
): void {
  const args = ["/PID", String(root.pid), "/T", "/F"];
  const killer = start(systemProgram("taskkill.exe", env), args, {
    stdio: "ignore",
    windowsHide: true,
  });
  // Without taskkill, or if it fails, only the process is killed.
  const killRoot = () => root.kill("SIGKILL");
  killer.once("error", killRoot).once("exit", (code) => code !== 0 && killRoot());
}
