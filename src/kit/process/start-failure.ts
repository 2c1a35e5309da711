import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter } from "node:path";
import { StartError } from "../text/errors.js";
import { type ChildEnvironment, MAX_LINUX_STRING, nameIn, type ProgramLine } from "./program.js";

/**
 * Explains an error of `spawn`. ENOENT: the program or its interpreter is
 * missing. EACCES: the file is a folder or not executable.
 */
export function startError(
  { code }: Pick<NodeJS.ErrnoException, "code">,
  command: ProgramLine,
  env: ChildEnvironment,
  platform: NodeJS.Platform,
): StartError {
  const [program] = command;
  if (code === "ENOENT" || program === "") {
    const path = env[nameIn(env, "PATH", platform) ?? ""];
    return new StartError(explainNotFound(program, path, platform), 127);
  }
  const reason =
    code === "E2BIG" ? explainTooLarge(command, env) : explainNotExecutable(code, program);
  return new StartError(reason, 126);
}

function explainNotFound(
  program: string,
  path: string | undefined,
  platform: NodeJS.Platform,
): string {
  if (platform === "win32" && /[\\/:]/.test(program)) return `there is no program ${program}`;
  if ("file" in findProgram(program, path))
    return `${program} can't be started: its interpreter or loader is missing`;
  return program.includes("/")
    ? `there is no file ${program}`
    : `there is no command "${program}" in PATH`;
}

function explainNotExecutable(code: string | undefined, program: string): string {
  if (code !== "EACCES") return `${program} can't be started (${code})`;
  return existsSync(`${program}/`)
    ? `${program} is a folder, not a command`
    : `${program} is not executable for this user`;
}

/** Explains E2BIG: names the longest variable or argument, without its text. */
export function explainTooLarge([program, ...args]: ProgramLine, env: ChildEnvironment): string {
  const sized = (name: string, text: string) => ({ name, bytes: Buffer.byteLength(`${text}\0`) });
  const variables = Object.entries(env).map(([name, value]) =>
    sized(`the variable ${name}`, `${name}=${value}`),
  );
  const all = [
    sized("its name", program),
    ...args.map((text) => sized("an argument", text)),
    ...variables,
  ];
  const longest = all.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    `${program} can't be started: its arguments and environment are too long (${total} bytes); the longest is ` +
    `${longest.name} with ${longest.bytes} bytes, and Linux limits each to ${MAX_LINUX_STRING}`
  );
}

/**
 * Finds the file that execvp(3) would execute, or its error code. Ignores
 * errors that only the system detects, such as a missing interpreter.
 *
 * @param path the PATH of the new program; by default, the system's default
 */
export function findProgram(
  program: string,
  path = "/bin:/usr/bin",
): { file: string } | { code: string } {
  const isPath = program.includes("/");
  let code = "ENOENT";
  const inPath = path.split(delimiter).map((folder) => `${folder || "."}/${program}`);
  for (const file of isPath ? [program] : inPath) {
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return { file };
      code = "EACCES";
    } catch (error) {
      const { code: failure = "EIO" } = error as NodeJS.ErrnoException;
      if (isPath || failure === "EACCES") code = failure;
    }
  }
  return { code };
}
