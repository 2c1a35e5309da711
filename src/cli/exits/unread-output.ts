import type { Output } from "../output/io.js";
import { writeLines } from "../output/output.js";
import { endProcess } from "./end-process.js";

/** The number of the signal, which Windows does not have. */
const SIGPIPE = 13;

/**
 * Ends this process when stdout fails. A reader that has read enough, such as `head`, closes the pipe: the command then
 * ends as SIGPIPE would end it, without a message, but not with 0, since it may not have finished its work.
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
