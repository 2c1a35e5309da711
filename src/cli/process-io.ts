import { constants, fstatSync, openSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { packageFile } from "../kit/files/package-file.js";
import { endWithReader, leaveUnread } from "../kit/process/end-process.js";
import { endBySignals, untilStopped } from "../kit/process/signals.js";
import { thisProcess } from "../kit/process/this-process.js";
import type { Io } from "./output/context.js";
import { writeLines } from "./output/output.js";

/** This process as a command sees it. Streams are created when they are first used. */
export function processIo(): Io {
  let stdout: Io["stdout"] | undefined;
  let stderr: Io["stderr"] | undefined;
  // Node would open its debugger, on a port that every user of the machine can reach, in a process
  // that has secrets.
  process.on("SIGUSR1", () => {});
  if (process.pid === 1) endBySignals();
  return {
    surroundings: thisProcess(),
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      stdout ??= endWithReader(process.stdout, (text) =>
        writeLines(process.stderr, [`appvars: ${text}`]),
      );
      return stdout;
    },
    get stderr() {
      stderr ??= openStderr();
      return stderr;
    },
    untilStopped,
    leaveUnread,
  };
}

/**
 * stderr, with a separate file description if it is a pipe and the system has Linux's /proc.
 * Whether writes block is a property of the description, which other processes share, and Node
 * makes writes block each time it starts a child. A reader that does not read would then stop a
 * server. If nobody can read stderr, the command continues.
 */
function openStderr(): Io["stderr"] {
  return (reopen(2) ?? process.stderr).on("error", () => {});
}

function reopen(fd: number): Socket | undefined {
  const { O_WRONLY, O_NONBLOCK } = constants;
  try {
    // A regular file would be written from its start, and a socket can't be opened again.
    if (!fstatSync(fd).isFIFO()) return undefined;
    return new Socket({
      fd: openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK),
      readable: false,
      writable: true,
    });
  } catch {
    return undefined;
  }
}

export function packageVersion(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
