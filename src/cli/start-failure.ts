import { access, constants, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Why a program was not started, and the exit code that a shell and `env` have for it. */
export interface StartFailure {
  exitCode: 126 | 127;
  message: string;
}

/**
 * Explains what `spawn` failed with. ENOENT is said of a program that is not there, but also of one whose interpreter is
 * not; EACCES of a file that may not be executed, and of a folder.
 *
 * @param path what PATH is for the program, undefined where it has none
 */
export async function explainStartFailure(
  { code }: NodeJS.ErrnoException,
  command: string,
  path: string | undefined,
): Promise<StartFailure> {
  if (code === "ENOENT" || command === "") return { exitCode: 127, message: await whatIsMissing(command, path) };
  return { exitCode: 126, message: await whyNotExecutable(code, command) };
}

async function whatIsMissing(command: string, path: string | undefined): Promise<string> {
  if (await isExecutable(command, path)) return `${command} can't be started: its interpreter or loader is not there`;
  return command.includes("/") ? `there is no file ${command}` : `there is no command "${command}" in PATH`;
}

async function whyNotExecutable(code: string | undefined, command: string): Promise<string> {
  if (code === "E2BIG")
    return `${command} can't be started: its arguments and variables are too long together, or one is`;
  const isFolder = await stat(command).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (code === "EACCES" && isFolder) return `${command} is a folder, no command`;
  if (code === "EACCES") return `${command} is not executable for this user`;
  return `${command} can't be started (${code})`;
}

/** Whether the system finds a file to execute, by the rule of execvp(3). */
async function isExecutable(command: string, path = "/bin:/usr/bin"): Promise<boolean> {
  if (command === "") return false;
  const candidates = command.includes("/") ? [command] : path.split(delimiter).map((folder) => join(folder, command));
  return Promise.any(candidates.map((candidate) => access(candidate, constants.X_OK))).then(
    () => true,
    () => false,
  );
}
