import { accessSync, constants } from "node:fs";
import { isatty } from "node:tty";
import { writeLines, writeRaw } from "../../cli/output/output.js";
import type { Io, Output } from "../../tasks/surroundings.js";

/** Replaces the program of this process, as execve(2) does. */
export type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** Node's function for it, since Node 22.15 and 23.11. On Windows it always throws. */
export const execve =
  process.platform === "win32" ? undefined : (process as { execve?: Execve }).execve;

/**
 * Ends the process as `process.exit` does, but immediately. Node looks up host names in threads
 * that it can't stop, and waits for them before it exits: 10 seconds or more when no DNS server
 * answers. Only execve(2) and signals end them, and a signal changes the exit code. So a program
 * that only sets the exit code replaces this one, where Node can.
 *
 * @param isBusy whether threads may delay the end; one that parses a large file can't be stopped
 *   either
 */
export function endProcess(code: number, isBusy = isLookupPending()): never {
  if (isTerminalClosed()) endWithTerminal(code);
  if (!execve || !isBusy || !isExecutable(process.execPath)) process.exit(code);
  process.emit("exit", code);
  // NODE_OPTIONS could make it load files or print.
  return execve(process.execPath, [process.execPath, "--eval", `process.exitCode = ${code}`], {
    ...process.env,
    NODE_OPTIONS: "",
  });
}

/**
 * Ends the process if its normal end would fail: after all output is written if a lookup would
 * delay it, and by SIGHUP if its terminal has been closed.
 */
export async function endIfObstructed(
  code: number,
  io: Pick<Io, "stdout" | "stderr">,
): Promise<void> {
  if (isTerminalClosed()) endWithTerminal(code);
  if (!isLookupPending()) return;
  // If nobody reads the output, `leaveUnread` ends the process.
  process.exitCode = code;
  for (const stream of [io.stdout, io.stderr]) {
    await new Promise<void>((resolve) => writeRaw(stream, "", () => resolve()));
  }
  endProcess(code);
}

const terminals = [0, 1, 2].filter(isatty);

/** Whether a terminal that this process was started on has been closed. */
export function isTerminalClosed(): boolean {
  return terminals.some((fd) => !isatty(fd));
}

/**
 * At a normal end Node resets its terminals, and aborts with a core dump, since one has been
 * closed.
 */
function endWithTerminal(code: number): void {
  if (process.platform === "win32") return;
  // A signal runs no listeners: files would be left, and programs.
  process.emit("exit", code);
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}

function isLookupPending(): boolean {
  return process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
}

/** Node aborts after a failed execve(2), and an upgrade may have removed the file. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The number of the signal, which Windows does not have. */
const SIGPIPE = 13;

/**
 * Ends this process when stdout fails. A reader that has read enough, such as `head`, closes the
 * pipe: the command then ends as SIGPIPE would end it, without a message, but not with 0, since it
 * may not have finished its work.
 */
export function endWithReader(stdout: Output): Output {
  return stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Windows reports EOF.
    if (error.code === "EPIPE" || error.code === "EOF") endProcess(128 + SIGPIPE);
    writeLines(process.stderr, [`appvars: can't write to stdout (${error.code})`]);
    endProcess(1);
  });
}

const MAX_UNREAD_MS = 500;

/** `leaveUnread` of `Io` for this process. */
export function leaveUnread(): void {
  // The process ends before this, unless output is waiting for its reader.
  setTimeout(() => endProcess(Number(process.exitCode ?? 1)), MAX_UNREAD_MS).unref();
}
