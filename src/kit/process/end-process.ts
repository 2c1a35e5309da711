import type { Writable } from "node:stream";
import { isatty } from "node:tty";

/** Replaces the program of this process, as execve(2) does. */
export type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** Node's function for it, since Node 22.15 and 23.11. On Windows it always throws. */
export const execve =
  process.platform === "win32" ? undefined : (process as { execve?: Execve }).execve;

/** Ends the process as `process.exit` does, or by SIGHUP if its terminal has been closed. */
export function endProcess(code: number): never {
  endWithTerminal(code);
  process.exit(code);
}

const terminals = [0, 1, 2].filter(isatty);

/** Whether a terminal that this process was started on has been closed. */
export function isTerminalClosed(): boolean {
  return terminals.some((fd) => !isatty(fd));
}

/**
 * Ends the process by SIGHUP if its terminal has been closed. At a normal end, Node would reset its
 * terminals, and abort with a core dump.
 */
export function endWithTerminal(code: number): void {
  if (process.platform === "win32" || !isTerminalClosed()) return;
  // Dying by a signal skips exit listeners, and would leave files and child processes behind.
  process.emit("exit", code);
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}

/** The number of the signal, which Windows does not have. */
const SIGPIPE = 13;

/**
 * Ends this process when stdout fails. A reader that has read enough, such as `head`, closes the
 * pipe: the command then ends as SIGPIPE would end it, without a message, but not with 0, since it
 * may not have finished its work. Any other failure is reported.
 */
export function endWithReader<T extends Writable>(stdout: T, report: (text: string) => void): T {
  return stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Windows reports EOF.
    if (error.code === "EPIPE" || error.code === "EOF") endProcess(128 + SIGPIPE);
    report(`can't write to stdout (${error.code})`);
    endProcess(1);
  });
}

const MAX_UNREAD_MS = 500;

/**
 * Lets the process end without waiting for readers of its output. Called when all work is done.
 */
export function leaveUnread(): void {
  // The process ends before this, unless output is waiting for its reader.
  setTimeout(() => endProcess(Number(process.exitCode ?? 1)), MAX_UNREAD_MS).unref();
}
